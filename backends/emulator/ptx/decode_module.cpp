// A module in order: variables, shared memory and frames laid out, then functions decoded.

#include <algorithm>
#include <functional>
#include <set>

#include "backends/emulator/ptx/decoder.h"

namespace sinter::emulator::ptx {

namespace {

std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) {
  return alignment ? (value + alignment - 1) / alignment * alignment : value;
}

const DecodeTable& all_instructions() {
  static const DecodeTable result = [] {
    DecodeTable all;
    for (const auto* table :
         {&arithmetic_instructions(), &bit_instructions(), &select_instructions(),
          &convert_instructions(), &memory_instructions(), &control_instructions()}) {
      all.insert(table->begin(), table->end());
    }
    return all;
  }();
  return result;
}

void visit_names(const Operand& operand, const std::function<void(const std::string&)>& visit) {
  if (operand.kind == Operand::Kind::Name) visit(operand.name);
  for (const Operand& element : operand.elements) visit_names(element, visit);
}

}  // namespace

const Function* Module::function_at(std::uint32_t instruction) const {
  for (const Function& function : functions) {
    if (function.entry <= instruction && instruction < function.end) return &function;
  }
  return nullptr;
}

// Frames are static: a function that could be active twice is refused.
void Decoder::check_recursion() const {
  std::vector<int> state(calls_from_.size(), 0);
  const std::function<void(std::uint32_t)> visit = [&](std::uint32_t f) {
    if (state[f] == 2) return;
    if (state[f] == 1) {
      throw PtxError(syntax_.functions[f].line, "'" + syntax_.functions[f].name +
                                                    "' calls itself; recursion is not supported");
    }
    state[f] = 1;
    for (const std::uint32_t callee : calls_from_[f]) visit(callee);
    state[f] = 2;
  };
  for (std::uint32_t f = 0; f < state.size(); ++f) visit(f);
}

void Decoder::lay_out_functions() {
  for (const FunctionSyntax& function : syntax_.functions) {
    Function result;
    result.name = function.name;
    result.kernel = function.kernel;
    result.parameters = function.parameters;
    result.results = function.results;
    if (function.kernel) {
      result.info.name = function.name;
      result.info.max_threads = function.max_threads;
      result.info.min_blocks = function.min_blocks;
      result.info.max_registers = function.max_registers;
      std::uint64_t end = 0;
      for (const Variable& parameter : function.parameters) {
        const std::uint64_t offset = align_up(end, parameter.alignment);
        result.info.parameters.push_back(
            {parameter.name, offset, parameter.size, parameter.alignment});
        end = offset + parameter.size;
      }
      result.info.parameter_bytes = end;
    } else {
      const auto place = [&](const std::vector<Variable>& list, std::vector<std::uint32_t>& into) {
        for (const Variable& variable : list) {
          module.frame_bytes =
              align_up(module.frame_bytes, std::max<std::uint64_t>(8, variable.alignment));
          into.push_back(static_cast<std::uint32_t>(module.frame_bytes));
          module.frame_bytes += variable.size;
        }
      };
      place(function.parameters, result.frame_parameters);
      place(function.results, result.frame_results);
    }
    module.functions.push_back(std::move(result));
  }
}

// Gives the shared variables that `function` names addresses from `end` on.
void Decoder::lay_out_shared(const FunctionSyntax& function, std::uint64_t& end) {
  std::set<std::string> named;
  for (const Statement& statement : function.statements) {
    for (const Operand& operand : statement.operands) {
      visit_names(operand, [&](const std::string& name) { named.insert(name); });
    }
  }
  const auto place = [&](const std::vector<Variable>& list, bool external) {
    for (const Variable& variable : list) {
      const bool dynamic = variable.external || variable.size == 0;
      if (variable.space != Space::Shared || dynamic != external || !named.count(variable.name) ||
          shared_.count(variable.name)) {
        continue;
      }
      end = align_up(end, variable.alignment);
      shared_[variable.name] = end;
      shared_variables_.push_back({variable.name, end, dynamic ? 0 : variable.size});
      if (!dynamic) end += variable.size;
    }
  };
  place(function.variables, false);
  place(syntax_.variables, false);
  place(syntax_.variables, true);
}

Module Decoder::decode() {
  std::set<std::string> names;
  for (const Variable& variable : syntax_.variables) {
    if (variable.space == Space::Global || variable.space == Space::Constant) {
      if (variable.external)
        throw PtxError(variable.line, "'" + variable.name + "' is not defined");
      module.variables.push_back(variable);
    }
    if (!names.insert(variable.name).second) {
      throw PtxError(variable.line, "'" + variable.name + "' is defined twice");
    }
  }
  lay_out_functions();
  calls_from_.resize(syntax_.functions.size());
  // Device functions are shared by the kernels, so what they name has one address for all.
  for (const FunctionSyntax& function : syntax_.functions) {
    if (!function.kernel) lay_out_shared(function, shared_by_functions_end_);
  }
  shared_by_functions_ = shared_;
  const std::vector<SharedVariable> shared_by_functions = shared_variables_;
  // Kernels share the registers of device functions, and have the rest for themselves.
  for (const bool kernels : {false, true}) {
    const RegisterFile file = file_;
    const auto constants = constants_;
    const auto specials = specials_;
    for (std::size_t i = 0; i < syntax_.functions.size(); ++i) {
      if (!syntax_.functions[i].defined || syntax_.functions[i].kernel != kernels) continue;
      if (kernels) {
        file_ = file;
        constants_ = constants;
        value_of_.clear();
        for (const auto& [key, slot] : constants_) value_of_[slot] = key.first;
        specials_ = specials;
        shared_variables_ = shared_by_functions;
      }
      decode_function(i);
      if (kernels) {
        module.functions[i].registers = file_;
        module.functions[i].shared = shared_variables_;
      }
    }
  }
  check_recursion();
  return std::move(module);
}

void Decoder::decode_function(std::size_t number) {
  function_ = &syntax_.functions[number];
  function_number_ = number;
  statement_ = nullptr;
  shared_ = shared_by_functions_;
  std::uint64_t shared_end = shared_by_functions_end_;
  if (function_->kernel) {
    lay_out_shared(*function_, shared_end);
    module.functions[number].shared_end = shared_end;
    module.functions[number].info.static_shared = shared_end;
  }
  frame_.clear();
  if (!function_->kernel) {
    for (std::size_t i = 0; i < function_->parameters.size(); ++i) {
      frame_[function_->parameters[i].name] = module.functions[number].frame_parameters[i];
    }
    for (std::size_t i = 0; i < function_->results.size(); ++i) {
      frame_[function_->results[i].name] = module.functions[number].frame_results[i];
    }
  }
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> needs;
  for (const Variable& variable : function_->variables) {
    if (variable.space == Space::Shared) continue;
    if (variable.space != Space::Local && variable.space != Space::Parameter) {
      throw PtxError(variable.line, "'" + variable.name + "': such a variable in a function");
    }
    // A call's .param names come again in each call's scope, and share their place.
    auto& [size, alignment] = needs[variable.name];
    size = std::max(size, variable.size);
    alignment = std::max({alignment, variable.alignment, std::uint64_t{8}});
  }
  for (const auto& [name, need] : needs) {
    module.frame_bytes = align_up(module.frame_bytes, need.second);
    frame_[name] = static_cast<std::uint32_t>(module.frame_bytes);
    module.frame_bytes += need.first;
  }
  registers_.clear();
  carry_ = scratch_ = NoSlot;
  for (const Register& reg : function_->registers) {
    registers_.push_back(add_units(reg.width, ~LaneMask{0}));
  }
  module.functions[number].entry = static_cast<std::uint32_t>(module.code.size());
  std::vector<std::uint32_t> starts;
  for (const Statement& statement : function_->statements) {
    starts.push_back(static_cast<std::uint32_t>(module.code.size()));
    decode_statement(statement);
  }
  starts.push_back(static_cast<std::uint32_t>(module.code.size()));
  // Running off the end is a return.
  Instruction end;
  end.kind = Kind::Return;
  end.line = function_->statements.empty() ? function_->line : function_->statements.back().line;
  module.code.push_back(end);
  module.functions[number].end = static_cast<std::uint32_t>(module.code.size());

  std::unordered_map<std::string, std::uint32_t> labels;
  for (const Label& label : function_->labels) {
    if (!labels.emplace(label.name, starts[label.statement]).second) {
      throw PtxError(function_->line, "label '" + label.name + "' stands twice");
    }
  }
  for (const Unresolved& branch : unresolved_) {
    const auto at = labels.find(branch.label);
    if (at == labels.end()) throw PtxError(branch.line, "unknown label '" + branch.label + "'");
    if (branch.table < 0) {
      module.code[branch.instruction].detail = at->second;
    } else {
      module
          .tables[static_cast<std::size_t>(branch.table)][static_cast<std::size_t>(branch.entry)] =
          at->second;
    }
  }
  unresolved_.clear();
}

void Decoder::decode_statement(const Statement& statement) {
  statement_ = &statement;
  taken_.assign(statement.opcode.size(), false);
  const auto at = all_instructions().find(statement.opcode[0]);
  if (at == all_instructions().end()) {
    fail("unknown instruction '" + statement.opcode[0] + "'");
  }
  const std::size_t calls = module.calls.size();
  at->second(*this);
  for (std::size_t i = calls; i < module.calls.size(); ++i) {
    calls_from_[function_number_].push_back(module.calls[i].function);
  }
  for (std::size_t i = 1; i < taken_.size(); ++i) {
    if (!taken_[i]) fail("the modifier '." + statement.opcode[i] + "' is not supported here");
  }
}

}  // namespace sinter::emulator::ptx

namespace sinter::emulator {

PtxModule PtxModule::parse(std::string_view text) {
  PtxModule result;
  result.module_ =
      std::make_shared<const ptx::Module>(ptx::Decoder(ptx::parse_syntax(text)).decode());
  return result;
}

std::vector<KernelInfo> PtxModule::kernels() const {
  std::vector<KernelInfo> result;
  for (const ptx::Function& function : module_->functions) {
    if (function.kernel) result.push_back(function.info);
  }
  return result;
}

}  // namespace sinter::emulator
