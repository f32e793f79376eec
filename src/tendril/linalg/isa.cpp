#include "tendril/linalg/isa.hpp"

#include <array>
#include <cstdlib>
#include <string>

namespace tendril {
namespace {

constexpr std::array names = {std::string_view("reference"), std::string_view("v2"), std::string_view("avx2"),
                              std::string_view("avx512")};

struct Choice {
  Isa isa;
  std::string rejected;
};

const Choice& choice() {
  static const Choice chosen = [] {
    const char* wish = std::getenv("TENDRIL_ISA");
    if (wish == nullptr || *wish == '\0') return Choice{best_isa(), {}};
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == wish && machine_has(static_cast<Isa>(i))) return Choice{static_cast<Isa>(i), {}};
    return Choice{best_isa(), wish};
  }();
  return chosen;
}

}  // namespace

bool machine_has(Isa isa) {
  switch (isa) {
    case Isa::reference: return true;
    case Isa::v2: return __builtin_cpu_supports("x86-64-v2") != 0;
    case Isa::avx2: return __builtin_cpu_supports("x86-64-v3") != 0;
    case Isa::avx512: return __builtin_cpu_supports("x86-64-v4") != 0;
  }
  return false;
}

std::string_view isa_name(Isa isa) { return names[static_cast<std::size_t>(isa)]; }

Isa best_isa() {
  for (const Isa isa : {Isa::avx512, Isa::avx2, Isa::v2})
    if (machine_has(isa)) return isa;
  return Isa::reference;
}

Isa active_isa() { return choice().isa; }
std::string_view active_isa_name() { return isa_name(active_isa()); }
std::string_view rejected_isa_request() { return choice().rejected; }

}  // namespace tendril
