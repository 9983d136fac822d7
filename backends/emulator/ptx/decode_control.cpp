// Branches, calls, barriers and exchanges between lanes.

#include "backends/emulator/ptx/decoder.h"

namespace sinter::emulator::ptx {

namespace {

void add(Decoder& d, Kind kind, std::uint32_t detail = 0, Slot source = NoSlot) {
  Instruction i;
  i.kind = kind;
  i.detail = detail;
  i.source[0] = source;
  d.emit(i);
}

void branch(Decoder& d) {
  d.take("uni");
  d.expect_operands(1, 1);
  if (d.operand(0).kind != Operand::Kind::Name) d.fail("needs a label");
  d.branch_to(d.operand(0).name);
  add(d, Kind::Branch);
}

void branch_indexed(Decoder& d) {
  if (!d.take("idx")) d.fail("needs .idx");
  d.take("uni");
  d.expect_operands(2, 2);
  const Slot index = d.source(0, Type::U32);
  if (d.operand(1).kind != Operand::Kind::Name) d.fail("needs a table of labels");
  add(d, Kind::BranchTable, d.branch_table(d.operand(1).name), index);
}

// call (results), function, (arguments)
void call(Decoder& d) {
  d.take("uni");
  std::size_t at = 0;
  std::vector<Operand> results, arguments;
  if (d.operand(at).kind == Operand::Kind::List) results = d.operand(at++).elements;
  const Operand& callee = d.operand(at++);
  if (callee.kind != Operand::Kind::Name) d.fail("calls through a register are not supported");
  if (at < d.operand_count()) {
    if (d.operand(at).kind != Operand::Kind::List)
      d.fail("calls through a register are not supported");
    arguments = d.operand(at++).elements;
  }
  d.expect_operands(at, at);
  Call result;
  result.function = d.function_number(callee.name);
  const Function& function = d.function_info(result.function);
  if (arguments.size() != function.parameters.size() || results.size() != function.results.size()) {
    d.fail("passes other parameters than '" + function.name + "' has");
  }
  const auto place = [&](const Operand& operand, std::uint64_t size) {
    std::uint32_t offset = 0;
    const Variable* variable =
        operand.kind == Operand::Kind::Name ? d.frame_variable(operand.name, offset) : nullptr;
    if (!variable) d.fail("passes something other than a .param variable");
    if (variable->size < size) d.fail("'" + operand.name + "' is smaller than the parameter");
    return offset;
  };
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto size = static_cast<std::uint32_t>(function.parameters[i].size);
    result.arguments.push_back({place(arguments[i], size), function.frame_parameters[i], size});
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto size = static_cast<std::uint32_t>(function.results[i].size);
    result.results.push_back({function.frame_results[i], place(results[i], size), size});
  }
  d.module.calls.push_back(std::move(result));
  add(d, Kind::Call, static_cast<std::uint32_t>(d.module.calls.size() - 1));
}

template <Kind K>
void plain(Decoder& d) {
  d.take("uni");
  d.expect_operands(0, 0);
  add(d, K);
}

void nothing(Decoder& d) {
  for (const std::string& part : d.statement().opcode) d.take(part);
}

// ---- barriers

void barrier(Decoder& d) {
  const bool legacy = d.statement().opcode[0] == "bar";
  if (d.take("warp")) {
    if (!d.take("sync")) d.fail("needs .sync");
    d.expect_operands(1, 1);
    add(d, Kind::WarpBarrier, 0, d.source(0, Type::B32));
    return;
  }
  if (d.take("cluster")) d.fail("clusters are not supported yet");
  d.take("cta");
  BarrierOperation b;
  const bool aligned = d.take("aligned");
  b.aligned = legacy || aligned;
  std::size_t at = 0;
  Slot result = NoSlot;
  bool predicate_result = false;
  if (d.take("red")) {
    using R = BarrierOperation::Reduction;
    b.reduction = d.take_one_of<R>({{"popc", R::Count}, {"and", R::And}, {"or", R::Or}}, R::None);
    if (b.reduction == R::None) d.fail("needs .popc, .and or .or");
    predicate_result = b.reduction != R::Count;
    const Type type = d.take_type();
    if (type != (predicate_result ? Type::Predicate : Type::U32)) d.fail_type(type);
    result = d.destination(at++, type);
  } else if (d.take("arrive")) {
    b.arrive_only = true;
  } else if (!d.take("sync")) {
    d.fail("needs .sync, .arrive or .red");
  }
  b.identifier = d.source(at++, Type::U32);
  const std::size_t left = d.operand_count() - at;
  const bool reduces = b.reduction != BarrierOperation::Reduction::None;
  if (left > (reduces ? 2u : 1u)) d.fail("has too many operands");
  if (left == (reduces ? 2u : 1u)) b.count = d.source(at++, Type::U32);
  if (b.arrive_only && b.count == NoSlot) d.fail("needs a number of threads");
  if (reduces) b.predicate = d.predicate_source(d.operand(at++), b.negated);
  d.expect_operands(at, at);
  d.module.barriers.push_back(b);
  Instruction i;
  i.kind = Kind::Barrier;
  i.detail = static_cast<std::uint32_t>(d.module.barriers.size() - 1);
  if (result != NoSlot) i.destination = result;
  i.width = predicate_result ? 0 : 4;
  d.emit(i);
}

// ---- exchanges

void add_exchange(Decoder& d, Exchange e, Instruction i) {
  d.module.exchanges.push_back(e);
  i.kind = Kind::Exchange;
  i.detail = static_cast<std::uint32_t>(d.module.exchanges.size() - 1);
  d.emit(i);
}

void shuffle(Decoder& d) {
  if (!d.take("sync")) d.fail("needs .sync");
  using E = ExchangeOperation;
  Exchange e{d.take_one_of<E>({{"up", E::ShuffleUp},
                               {"down", E::ShuffleDown},
                               {"bfly", E::ShuffleButterfly},
                               {"idx", E::ShuffleIndex}},
                              E::Elect)};
  if (e.operation == E::Elect) d.fail("needs .up, .down, .bfly or .idx");
  if (d.take_type() != Type::B32) d.fail("needs .b32");
  d.expect_operands(5, 5);
  Instruction i;
  const Operand& result = d.operand(0);
  if (result.kind == Operand::Kind::Pair) {
    i.destination = d.destination(result.elements[0], Type::B32);
    i.destination2 = d.destination(result.elements[1], Type::Predicate);
  } else {
    i.destination = d.destination(result, Type::B32);
  }
  i.source = {d.source(1, Type::B32), d.source(2, Type::U32), d.source(3, Type::U32), NoSlot};
  e.mask = d.source(4, Type::B32);
  add_exchange(d, e, i);
}

void vote(Decoder& d) {
  if (!d.take("sync")) d.fail("needs .sync");
  using E = ExchangeOperation;
  Exchange e{d.take_one_of<E>(
      {{"all", E::VoteAll}, {"any", E::VoteAny}, {"uni", E::VoteUni}, {"ballot", E::VoteBallot}},
      E::Elect)};
  if (e.operation == E::Elect) d.fail("needs .all, .any, .uni or .ballot");
  const Type type = e.operation == E::VoteBallot ? Type::B32 : Type::Predicate;
  if (d.take_type() != type) d.fail("has another type");
  d.expect_operands(3, 3);
  Instruction i;
  i.destination = d.destination(0, type);
  i.width = static_cast<std::uint8_t>(bytes_of(type));
  i.source[0] = d.predicate_source(d.operand(1), e.negated);
  e.mask = d.source(2, Type::B32);
  add_exchange(d, e, i);
}

void match(Decoder& d) {
  const bool all = d.take("all");
  if (!all && !d.take("any")) d.fail("needs .all or .any");
  if (!d.take("sync")) d.fail("needs .sync");
  const Type type = d.take_type();
  if (type != Type::B32 && type != Type::B64) d.fail_type(type);
  d.expect_operands(3, 3);
  Exchange e{all ? ExchangeOperation::MatchAll : ExchangeOperation::MatchAny};
  e.width = static_cast<std::uint8_t>(bytes_of(type));
  Instruction i;
  const Operand& result = d.operand(0);
  if (result.kind == Operand::Kind::Pair) {
    if (!all) d.fail("only .all gives a predicate");
    i.destination = d.destination(result.elements[0], Type::B32);
    i.destination2 = d.destination(result.elements[1], Type::Predicate);
  } else {
    i.destination = d.destination(result, Type::B32);
  }
  i.source[0] = d.source(1, type);
  e.mask = d.source(2, Type::B32);
  add_exchange(d, e, i);
}

void reduce(Decoder& d) {
  if (!d.take("sync")) d.fail("needs .sync");
  using E = ExchangeOperation;
  static const char* const names[] = {"add", "min", "max", "and", "or", "xor"};
  std::string name;
  for (const char* candidate : names) {
    if (d.take(candidate)) name = candidate;
  }
  const Type type = d.take_type();
  if (bytes_of(type) != 4 || !is_integer(type)) d.fail_type(type);
  const bool sign = is_signed(type);
  Exchange e{};
  if (name == "add") e.operation = E::ReduceAdd;
  else if (name == "min") e.operation = sign ? E::ReduceMinSigned : E::ReduceMin;
  else if (name == "max") e.operation = sign ? E::ReduceMaxSigned : E::ReduceMax;
  else if (name == "and") e.operation = E::ReduceAnd;
  else if (name == "or") e.operation = E::ReduceOr;
  else if (name == "xor") e.operation = E::ReduceXor;
  else d.fail("needs an operation");
  d.expect_operands(3, 3);
  Instruction i;
  i.destination = d.destination(0, type);
  i.source[0] = d.source(1, type);
  e.mask = d.source(2, Type::B32);
  add_exchange(d, e, i);
}

void elect(Decoder& d) {
  if (!d.take("sync")) d.fail("needs .sync");
  d.expect_operands(2, 2);
  Exchange e{ExchangeOperation::Elect};
  const Operand& result = d.operand(0);
  if (result.kind != Operand::Kind::Pair) d.fail("needs lane|predicate");
  Instruction i;
  i.destination = d.destination(result.elements[0], Type::B32);
  i.destination2 = d.destination(result.elements[1], Type::Predicate);
  e.mask = d.source(1, Type::B32);
  add_exchange(d, e, i);
}

void active_mask(Decoder& d) {
  if (d.take_type() != Type::B32) d.fail("needs .b32");
  d.expect_operands(1, 1);
  Instruction i;
  i.destination = d.destination(0, Type::B32);
  add_exchange(d, Exchange{ExchangeOperation::ActiveMask}, i);
}

}  // namespace

const DecodeTable& control_instructions() {
  static const DecodeTable table{
      {"bra", branch},
      {"brx", branch_indexed},
      {"call", call},
      {"ret", plain<Kind::Return>},
      {"exit", plain<Kind::Exit>},
      {"trap", plain<Kind::Trap>},
      {"brkpt", plain<Kind::Trap>},
      {"nanosleep", nothing},
      {"griddepcontrol", nothing},
      {"pmevent", nothing},
      {"setmaxnreg", nothing},
      {"bar", barrier},
      {"barrier", barrier},
      {"shfl", shuffle},
      {"vote", vote},
      {"match", match},
      {"redux", reduce},
      {"elect", elect},
      {"activemask", active_mask},
  };
  return table;
}

}  // namespace sinter::emulator::ptx
