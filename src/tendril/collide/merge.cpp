#include "tendril/collide/merge.hpp"

#include <algorithm>
#include <cmath>
#include <ranges>

#include "tendril/base/parallel.hpp"

namespace tendril::collide {
namespace {

constexpr double same_arc = 1e-6;  // in edges

bool in_order(const Contact* x, const Contact* y) { return contact_order(*x, *y) < 0; }

// Stable. Those of one strand are few, and most are in order already: no memory for it, and hardly any work.
void put_in_order(std::span<const Contact*> contacts) {
  constexpr std::size_t few = 64;
  if (contacts.size() > few) {
    std::ranges::stable_sort(contacts, in_order);
    return;
  }
  for (std::size_t k = 1; k < contacts.size(); ++k) {
    const Contact* const one = contacts[k];
    std::size_t at = k;
    for (; at > 0 && in_order(one, contacts[at - 1]); --at) contacts[at] = contacts[at - 1];
    contacts[at] = one;
  }
}

bool same_bodies(const Contact& x, const Contact& y) {
  return x.a.strand == y.a.strand && x.b.strand == y.b.strand && x.body.body == y.body.body;
}

double radius_at(const Polylines& strands, const StrandPoint& point) {
  if (point.strand == nobody) return 0.0;
  const std::size_t v = strands.offsets[point.strand] + point.edge;
  return strands.radius[v] + point.along * (strands.radius[v + 1] - strands.radius[v]);
}

// Metres per edge are those of the edge at x: near enough where two points are close.
double way_along(const Polylines& strands, const StrandPoint& x, const StrandPoint& y) {
  if (x.strand == nobody) return 0.0;
  const std::size_t v = strands.offsets[x.strand] + x.edge;
  return std::abs(x.arc() - y.arc()) * (strands.positions[v + 1] - strands.positions[v]).norm();
}

// Contacts of one strand A, sorted; returns how many stay, at the front.
std::size_t drop_repeated(std::span<const Contact*> contacts) {
  std::size_t kept = 0;
  for (const Contact* const contact : contacts) {
    bool repeats = false;
    for (std::size_t k = kept; k-- > 0 && !repeats && contact->a.arc() - contacts[k]->a.arc() <= same_arc;)
      repeats = same_bodies(*contact, *contacts[k]) && std::abs(contact->b.arc() - contacts[k]->b.arc()) <= same_arc;
    if (!repeats) contacts[kept++] = contact;
  }
  return kept;
}

std::size_t thin_out(const Polylines& strands, double spacing, std::span<const Contact*> contacts) {
  std::size_t kept = 0;
  for (const Contact* const contact : contacts) {
    const double way = spacing * (radius_at(strands, contact->a) + radius_at(strands, contact->b));
    const auto close = [&](const Contact* other) {
      return same_bodies(*contact, *other) && way_along(strands, contact->a, other->a) < way &&
             way_along(strands, contact->b, other->b) < way;
    };
    const auto so_far = contacts.first(kept);
    const auto other = std::ranges::find_if(so_far, close);
    if (other == so_far.end())
      contacts[kept++] = contact;
    else if (contact->gap < (*other)->gap)
      *other = contact;
  }
  put_in_order(contacts.first(kept));
  return kept;
}

}  // namespace

ContactRefs refs_to(std::span<const Contact> contacts) {
  ContactRefs refs;
  for (const Contact& contact : contacts) refs.push_back(&contact);
  return refs;
}

void merge_contacts(const Polylines& strands, double spacing, std::span<const std::vector<Contact>> lists,
                    ContactRefs& merged) {
  merged.clear();
  thread_local std::vector<std::size_t> first, kept;  // of each strand that has any: where they begin, how many stay
  first.clear();
  for (const std::vector<Contact>& some : lists)
    for (const Contact& contact : some) {
      if (merged.empty() || contact.a.strand != merged.back()->a.strand) first.push_back(merged.size());
      merged.push_back(&contact);
    }
  first.push_back(merged.size()), kept.resize(first.size() - 1);
  parallel_for(kept.size(), [&, first = std::span(first), kept = std::span(kept)](std::size_t s) {
    const auto of_strand = std::span(merged).subspan(first[s], first[s + 1] - first[s]);
    put_in_order(of_strand);
    kept[s] = drop_repeated(of_strand);
    if (spacing > 0.0) kept[s] = thin_out(strands, spacing, of_strand.first(kept[s]));
  });
  auto end = merged.begin();
  for (std::size_t s = 0; s < kept.size(); ++s)
    end = std::copy_n(merged.begin() + std::ptrdiff_t(first[s]), kept[s], end);
  merged.erase(end, merged.end());
}

void join_contacts(std::span<const Contact* const> x, std::span<const Contact> y, ContactRefs& both) {
  both.resize(x.size() + y.size());
  const auto address = [](const Contact& contact) { return &contact; };
  std::ranges::merge(x, y | std::views::transform(address), both.begin(), in_order);
}

}  // namespace tendril::collide
