#include "tendril/scene/read_contact.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tendril/base/text.hpp"

namespace tendril {
namespace {

constexpr Word<ContactLaw> laws[] = {
    {"none", ContactLaw::none}, {"frictionless", ContactLaw::frictionless}, {"coulomb", ContactLaw::coulomb}};
constexpr double largest_mu = 1e6;

std::vector<Word<contact::Solver>> solver_words() {
  std::vector<Word<contact::Solver>> words;
  for (const std::string_view name : contact::solver_names()) words.push_back({name, *contact::solver_named(name)});
  return words;
}

using LocalChoice = std::optional<contact::LocalMethod>;

std::vector<Word<LocalChoice>> local_words() {
  std::vector<Word<LocalChoice>> words = {{"closed-form", std::nullopt}};
  for (const std::string_view name : contact::local_method_names())
    words.push_back({name, *contact::local_method_named(name)});
  return words;
}

std::vector<std::string_view> names_in_contact(const std::vector<StrandSet>& sets,
                                               const std::vector<ColliderSettings>& colliders) {
  std::vector<std::string_view> names;
  for (const StrandSet& set : sets) names.push_back(set.name);
  for (const ColliderSettings& collider : colliders) names.push_back(collider.name);
  return names;
}

std::optional<double> coefficient(const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value.held)) return double(*whole);
  if (const auto* number = std::get_if<double>(&value.held)) return *number;
  return std::nullopt;
}

// "hair/head" = 0.5
void read_pair(TableReader& table, const Entry& entry, std::span<const std::string_view> known,
               FrictionSettings& friction) {
  const std::optional<double> mu = coefficient(entry.value);
  if (!mu || !(*mu >= 0.0 && *mu <= largest_mu))
    return table.refuse_at(entry.value.place,
                           fmt::format("friction of '{}' must be a number from 0 to {:g}", entry.key, largest_mu));
  if (entry.key == "default") {
    friction.fallback = *mu;
    return;
  }
  const std::size_t cut = entry.key.find('/');
  if (cut == std::string::npos)
    return table.refuse_at(entry.place,
                           fmt::format("'{}' must be default, or two names as in \"hair/head\" = 0.5", entry.key));
  const FrictionSettings::Pair pair{entry.key.substr(0, cut), entry.key.substr(cut + 1), *mu};
  for (const std::string& name : {pair.a, pair.b})
    if (std::ranges::find(known, name) == known.end())
      return table.refuse_at(entry.place, fmt::format("there are no strands and no collider named '{}'{}", name,
                                                      did_you_mean(name, known)));
  const auto same = [&](const FrictionSettings::Pair& other) {
    return (other.a == pair.a && other.b == pair.b) || (other.a == pair.b && other.b == pair.a);
  };
  if (std::ranges::any_of(friction.pairs, same))
    return table.refuse_at(entry.place, fmt::format("friction of '{}' was given before", entry.key));
  friction.pairs.push_back(pair);
}

void read_friction(TableReader& table, std::span<const std::string_view> known, FrictionSettings& friction) {
  const Value* value =
      table.value("friction", "number, or table { default = number, \"name/name\" = number }",
                  "Coulomb's coefficient, of all contacts or by the names of what meets (default 0.3)");
  if (value == nullptr) return;
  if (const auto* pairs = std::get_if<ValueTable>(&value->held)) {
    for (const Entry& entry : *pairs) read_pair(table, entry, known, friction);
  } else {
    read_pair(table, {"default", value->place, *value}, known, friction);
  }
}

// Of gs: what solves one contact with all others held.
void read_local(TableReader& table, ContactSettings& contact) {
  LocalChoice method;
  contact::LocalOptions local;
  const auto words = local_words();
  table.word<LocalChoice>("local",
                          "solver of one contact, of solver = \"gs\": the best, or one of the literature to compare",
                          words, method);
  table.boolean("fail_safe", "whether enumeration takes over where a local solver of the literature fails",
                local.fail_safe);
  if (table.has("local") && contact.solver != contact::Solver::gauss_seidel)
    table.refuse("local", "local is for solver = \"gs\"");
  if (table.has("fail_safe") && !method)
    table.refuse("fail_safe", "fail_safe is for a local solver of the literature, which local names");
  if (!method) return;
  local.method = *method;
  contact.local = local;
}

// A solver that never takes what the scene asks for.
void check_solver(TableReader& table, const ContactSettings& contact) {
  const bool has_friction = contact.law == ContactLaw::coulomb && contact.friction.largest() > 0.0;
  if (contact.solver == contact::Solver::active_set && has_friction)
    table.refuse("solver", "active-set takes no friction: write law = \"frictionless\", or another solver");
}

}  // namespace

double FrictionSettings::largest() const {
  double largest = fallback;
  for (const Pair& pair : pairs) largest = std::max(largest, pair.mu);
  return largest;
}

double FrictionSettings::between(const std::string& a, const std::string& b) const {
  for (const Pair& pair : pairs)
    if ((pair.a == a && pair.b == b) || (pair.a == b && pair.b == a)) return pair.mu;
  return fallback;
}

ContactSettings read_contact(TableReader& root, const std::vector<StrandSet>& sets,
                             const std::vector<ColliderSettings>& colliders) {
  ContactSettings contact;
  auto table = root.table("contact",
                          "how strands meet each other and bodies; absent: they do not, unless there are "
                          "colliders");
  if (table || !colliders.empty()) contact.law = ContactLaw::coulomb;
  if (!table) return contact;
  table->word("law", "of contact", laws, contact.law);
  const auto solvers = solver_words();
  table->word<contact::Solver>("solver", "of the contact problem of a step", solvers, contact.solver);
  read_local(*table, contact);
  table->number("tolerance", "error of the worst contact, as a share of the speed without contact", {1e-12, 1.0},
                contact.tolerance);
  table->integer("max_iterations", "of the solver; 0 = as it likes", 0, 100'000'000, contact.max_iterations);
  table->boolean("between_strands", "whether strands meet strands; false: bodies only", contact.between_strands);
  read_friction(*table, names_in_contact(sets, colliders), contact.friction);
  table->number("margin", "gap up to which contacts are seen, in sums of both radii", {0.0, 1e3}, contact.margin);
  table->quantity("push_time", "in which an overlap that is there from the start falls to 1/e", Dimension::time,
                  positive, contact.push_time);
  table->quantity("push_speed", "at which it is pushed out, at most", Dimension::speed, not_negative,
                  contact.push_speed);
  if (contact.law != ContactLaw::coulomb && table->has("friction"))
    table->refuse("friction", "friction is for law = \"coulomb\"");
  check_solver(*table, contact);
  table->finish();
  return contact;
}

FrictionFactor read_friction_factor(TableReader& strands) {
  FrictionFactor factor;
  auto table =
      strands.table("friction_factor", "along a strand, times the coefficient of [contact]; linear in between");
  if (!table) return factor;
  table->number("root", "at the root", {0.0, largest_mu}, factor.root);
  table->number("tip", "at the tip", {0.0, largest_mu}, factor.tip);
  table->finish();
  return factor;
}

}  // namespace tendril
