#include "backends/emulator/ptx/decoder.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <set>

namespace sinter::emulator::ptx {

namespace {

const std::map<std::string, Type>& types() {
  static const std::map<std::string, Type> result{
      {"u8", Type::U8},         {"u16", Type::U16},       {"u32", Type::U32},
      {"u64", Type::U64},       {"s8", Type::S8},         {"s16", Type::S16},
      {"s32", Type::S32},       {"s64", Type::S64},       {"b8", Type::B8},
      {"b16", Type::B16},       {"b32", Type::B32},       {"b64", Type::B64},
      {"f16", Type::F16},       {"bf16", Type::BF16},     {"f16x2", Type::F16x2},
      {"tf32", Type::Tf32},     {"bf16x2", Type::BF16x2}, {"f32", Type::F32},
      {"f64", Type::F64},       {"u16x2", Type::U16x2},   {"s16x2", Type::S16x2},
      {"pred", Type::Predicate}};
  return result;
}

std::string name_of(Type type) {
  for (const auto& [name, value] : types()) {
    if (value == type) return name;
  }
  return "?";
}

const std::map<std::string, Special>& special_registers() {
  static const std::map<std::string, Special> result{
      {"%tid.x", Special::TidX},
      {"%tid.y", Special::TidY},
      {"%tid.z", Special::TidZ},
      {"%ntid.x", Special::NtidX},
      {"%ntid.y", Special::NtidY},
      {"%ntid.z", Special::NtidZ},
      {"%ctaid.x", Special::CtaidX},
      {"%ctaid.y", Special::CtaidY},
      {"%ctaid.z", Special::CtaidZ},
      {"%nctaid.x", Special::NctaidX},
      {"%nctaid.y", Special::NctaidY},
      {"%nctaid.z", Special::NctaidZ},
      {"%laneid", Special::LaneId},
      {"%warpid", Special::WarpId},
      {"%nwarpid", Special::NWarpId},
      {"%smid", Special::SmId},
      {"%nsmid", Special::NSmId},
      {"%gridid", Special::GridId},
      {"%lanemask_eq", Special::LaneMaskEq},
      {"%lanemask_le", Special::LaneMaskLe},
      {"%lanemask_lt", Special::LaneMaskLt},
      {"%lanemask_ge", Special::LaneMaskGe},
      {"%lanemask_gt", Special::LaneMaskGt},
      {"%dynamic_smem_size", Special::DynamicSharedSize},
      {"%total_smem_size", Special::TotalSharedSize}};
  return result;
}

}  // namespace

unsigned bytes_of(Type type) { return type == Type::Predicate ? 0 : bytes_of_type(name_of(type)); }
bool is_signed(Type type) {
  return type == Type::S8 || type == Type::S16 || type == Type::S32 || type == Type::S64;
}
bool is_integer(Type type) { return type <= Type::B64; }

Decoder::Decoder(ModuleSyntax&& syntax) : syntax_(std::move(syntax)) {
  file_.undefined_at_start.assign(FirstSlot, 0);
  module.files = syntax_.files;
  module.locations.emplace_back();
  locations_[{0, 0, ""}] = 0;
}

void Decoder::fail(const std::string& what) const {
  std::string opcode;
  if (statement_) {
    for (const std::string& part : statement_->opcode) opcode += (opcode.empty() ? "" : ".") + part;
    opcode += ": ";
  }
  throw PtxError(statement_ ? statement_->line : function_ ? function_->line : 1, opcode + what);
}

void Decoder::fail_type(Type type) const {
  fail("the type ." + name_of(type) + " is not supported");
}

bool Decoder::take(const std::string& modifier) {
  for (std::size_t i = 1; i < statement_->opcode.size(); ++i) {
    if (!taken_[i] && statement_->opcode[i] == modifier) return taken_[i] = true;
  }
  return false;
}

bool Decoder::has_type() const {
  for (std::size_t i = 1; i < statement_->opcode.size(); ++i) {
    if (!taken_[i] && types().count(statement_->opcode[i])) return true;
  }
  return false;
}

Type Decoder::take_type() {
  for (std::size_t i = 1; i < statement_->opcode.size(); ++i) {
    const auto type = types().find(statement_->opcode[i]);
    if (!taken_[i] && type != types().end()) {
      taken_[i] = true;
      return type->second;
    }
  }
  fail("a type is missing");
}

const Operand& Decoder::operand(std::size_t i) const {
  if (i >= statement_->operands.size()) fail("an operand is missing");
  return statement_->operands[i];
}

void Decoder::expect_operands(std::size_t least, std::size_t most) const {
  if (operand_count() < least || operand_count() > most) {
    fail("has " + std::to_string(operand_count()) + " operands, expected " + std::to_string(least) +
         (least == most ? "" : " to " + std::to_string(most)));
  }
}

Slot Decoder::add_units(unsigned width, LaneMask undefined) {
  const Slot slot = file_.units;
  const unsigned units = width == 8 ? 2 : 1;
  file_.units += units;
  file_.undefined_at_start.resize(file_.units, undefined);
  return slot;
}

Slot Decoder::constant(std::uint64_t bits, unsigned width) {
  if (width < 8) bits &= (std::uint64_t{1} << (width * 8)) - 1;
  const auto [at, is_new] = constants_.try_emplace({bits, width}, 0);
  if (is_new) {
    at->second = add_units(width, 0);
    file_.constants.push_back({at->second, width, bits});
    value_of_[at->second] = bits;
  }
  return at->second;
}

Slot Decoder::parameter_value(const MemoryOperation& m) {
  const auto base = value_of_.find(m.base);
  if (m.space != Space::Parameter || m.count != 1 || base == value_of_.end()) return NoSlot;
  const std::uint64_t offset = base->second + m.offset;
  const std::uint64_t end = module.functions[function_number_].info.parameter_bytes;
  if (offset % m.width || offset + m.width > end) return NoSlot;
  for (const RegisterFile::ParameterValue& known : file_.parameters) {
    if (known.offset == offset && known.width == m.register_width && known.bytes == m.width &&
        known.sign == m.sign) {
      return known.slot;
    }
  }
  const Slot slot = add_units(m.register_width, 0);
  file_.parameters.push_back({slot, m.register_width, offset, m.width, m.sign});
  return slot;
}

Slot Decoder::carry() {
  if (carry_ == NoSlot) carry_ = add_units(4, ~LaneMask{0});
  return carry_;
}

Slot Decoder::scratch_predicate() {
  if (scratch_ == NoSlot) scratch_ = add_units(0, ~LaneMask{0});
  return scratch_;
}

Slot Decoder::name_slot(const Operand& operand, unsigned width) {
  if (operand.name == "WARP_SZ") return constant(Lanes, width);
  const auto special = special_registers().find(operand.name);
  if (special != special_registers().end()) {
    if (width != 4) fail("'" + operand.name + "' has 32 bits");
    const auto [at, is_new] = specials_.try_emplace(special->second, 0);
    if (is_new) {
      at->second = add_units(4, 0);
      file_.specials.push_back({at->second, special->second});
    }
    return at->second;
  }
  const std::uint64_t offset = static_cast<std::uint64_t>(operand.offset);
  if (const auto at = shared_.find(operand.name); at != shared_.end()) {
    return constant(at->second + offset, width);
  }
  std::uint32_t frame = 0;
  if (const Variable* variable = frame_variable(operand.name, frame)) {
    if (variable->space == Space::Local || !function_->kernel)
      return constant(frame + offset, width);
  }
  if (function_->kernel) {
    for (const ParameterInfo& parameter : module.functions[function_number_].info.parameters) {
      if (parameter.name == operand.name) return constant(parameter.offset + offset, width);
    }
  }
  for (std::size_t i = 0; i < module.variables.size(); ++i) {
    if (module.variables[i].name != operand.name) continue;
    const Slot slot = add_units(width, 0);
    file_.variable_addresses.push_back({slot, width, static_cast<std::uint32_t>(i), offset});
    return slot;
  }
  fail("unknown name '" + operand.name + "'");
}

Slot Decoder::source(const Operand& operand, Type type) {
  const unsigned width = bytes_of(type);
  switch (operand.kind) {
    case Operand::Kind::Register: {
      const Register& reg = function_->registers[operand.index];
      if (operand.negated) fail("'" + operand.name + "' cannot be negated here");
      if (reg.width != width) {
        fail("'" + operand.name + "' is ." + reg.type + ", the instruction takes ." +
             name_of(type));
      }
      return registers_[operand.index];
    }
    case Operand::Kind::Integer:
      if (type == Type::Predicate) return constant(operand.bits ? ~0u : 0, 4);
      return constant(operand.bits, width);
    case Operand::Kind::Float: {
      const double value = operand.width == 4
                               ? std::bit_cast<float>(static_cast<std::uint32_t>(operand.bits))
                               : std::bit_cast<double>(operand.bits);
      if (type == Type::F32 || type == Type::B32 || type == Type::Tf32) {
        if (operand.width == 4) return constant(operand.bits, 4);
        return constant(std::bit_cast<std::uint32_t>(static_cast<float>(value)), 4);
      }
      if (type == Type::F64 || type == Type::B64) {
        return constant(std::bit_cast<std::uint64_t>(value), 8);
      }
      fail("a floating-point immediate for ." + name_of(type));
    }
    case Operand::Kind::Name:
      if (operand.negated || type == Type::Predicate) fail("bad operand '" + operand.name + "'");
      return name_slot(operand, width);
    case Operand::Kind::Address:
    case Operand::Kind::Vector:
    case Operand::Kind::Pair:
    case Operand::Kind::List:
    case Operand::Kind::Sink:
      break;
  }
  fail("an operand of this form is not supported here");
}

Slot Decoder::predicate_source(const Operand& operand, bool& negated) {
  negated = operand.negated;
  Operand plain = operand;
  plain.negated = false;
  return source(plain, Type::Predicate);
}

Slot Decoder::destination(const Operand& operand, Type type) {
  if (operand.kind == Operand::Kind::Sink) return SinkSlot;
  if (operand.kind != Operand::Kind::Register || operand.negated) fail("a result needs a register");
  return source(operand, type);
}

Slot Decoder::any_register(const Operand& operand, unsigned& width, bool write) {
  if (write && operand.kind == Operand::Kind::Sink) return SinkSlot;
  if (operand.kind != Operand::Kind::Register || operand.negated) fail("expected a register");
  width = function_->registers[operand.index].width;
  if (!width) fail("'" + operand.name + "' is a predicate");
  return registers_[operand.index];
}

const Variable* Decoder::frame_variable(const std::string& name, std::uint32_t& offset) const {
  const auto at = frame_.find(name);
  if (at == frame_.end()) return nullptr;
  offset = at->second;
  for (const auto* list : {&function_->variables, &function_->parameters, &function_->results}) {
    for (const Variable& variable : *list) {
      if (variable.name == name) return &variable;
    }
  }
  return nullptr;
}

std::uint32_t Decoder::function_number(const std::string& name) const {
  for (std::size_t i = 0; i < syntax_.functions.size(); ++i) {
    if (syntax_.functions[i].name != name) continue;
    if (!syntax_.functions[i].defined) fail("calls '" + name + "', which the module only declares");
    if (syntax_.functions[i].kernel) fail("calls the kernel '" + name + "'");
    return static_cast<std::uint32_t>(i);
  }
  fail("calls '" + name + "', which the module does not define");
}

void Decoder::address(const Operand& operand, MemoryOperation& operation) {
  if (operand.kind != Operand::Kind::Address) fail("expected an address");
  const Operand& base = operand.elements[0];
  operation.offset = static_cast<std::uint64_t>(operand.offset);
  switch (base.kind) {
    case Operand::Kind::Register: {
      const unsigned width = function_->registers[base.index].width;
      if (width != 4 && width != 8) fail("'" + base.name + "' cannot hold an address");
      if (width == 4 && operation.space != Space::Shared && operation.space != Space::Local &&
          operation.space != Space::Parameter && operation.space != Space::Constant) {
        fail("a 32-bit address of 64-bit memory");
      }
      operation.base_width = static_cast<std::uint8_t>(width);
      operation.base = registers_[base.index];
      return;
    }
    case Operand::Kind::Integer:
      operation.offset += base.bits;
      operation.base_width = 8;
      operation.base = NoSlot;
      return;
    case Operand::Kind::Name: {
      std::uint32_t frame = 0;
      const Variable* variable = frame_variable(base.name, frame);
      if (operation.space == Space::Parameter && variable) {
        operation.space = Space::Local;  // a call's argument lives in the lane's frame
        operation.offset += frame;
        operation.base_width = 8;
        return;
      }
      operation.base_width = 8;
      operation.base = name_slot(base, 8);
      return;
    }
    case Operand::Kind::Float:
    case Operand::Kind::Address:
    case Operand::Kind::Vector:
    case Operand::Kind::Pair:
    case Operand::Kind::List:
    case Operand::Kind::Sink:
      break;
  }
  fail("an address of this form is not supported");
}

std::uint32_t Decoder::branch_table(const std::string& name) {
  for (const BranchTargets& table : function_->tables) {
    if (table.name != name) continue;
    const std::size_t number = module.tables.size();
    module.tables.emplace_back(table.labels.size());
    for (std::size_t i = 0; i < table.labels.size(); ++i) {
      unresolved_.push_back({0, static_cast<std::int64_t>(number), static_cast<std::int64_t>(i),
                             table.labels[i], statement_->line});
    }
    return static_cast<std::uint32_t>(number);
  }
  fail("unknown table '" + name + "'");
}

void Decoder::branch_to(const std::string& label) {
  unresolved_.push_back(
      {static_cast<std::uint32_t>(module.code.size()), -1, 0, label, statement_->line});
}

Instruction& Decoder::emit(Instruction instruction) {
  instruction.line = statement_->line;
  if (statement_->guarded) {
    instruction.guard = registers_[statement_->guard];
    instruction.guard_negated = statement_->guard_negated;
  }
  const Location& at = statement_->location;
  const auto [found, is_new] = locations_.try_emplace(
      {at.file, at.line, at.function}, static_cast<std::uint32_t>(module.locations.size()));
  if (is_new) module.locations.push_back(at);
  instruction.location = found->second;
  module.code.push_back(instruction);
  return module.code.back();
}

Instruction& Decoder::compute(Handler handler, Type result, Slot destination,
                              std::initializer_list<Slot> sources, Flow flow) {
  if (!handler) fail_type(result);
  Instruction instruction;
  instruction.handler = handler;
  instruction.destination = destination;
  std::copy(sources.begin(), sources.end(), instruction.source.begin());
  instruction.flow = flow;
  instruction.width = static_cast<std::uint8_t>(bytes_of(result));
  return emit(instruction);
}

}  // namespace sinter::emulator::ptx
