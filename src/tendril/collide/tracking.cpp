#include "tendril/collide/tracking.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "tendril/base/parallel.hpp"

namespace tendril::collide {
namespace {

using Contacts = std::span<const Contact>;

// In edges: the larger of the ways along A and along B. A body has no arc.
double way_between(const Contact& x, const Contact& y) {
  return std::max(std::abs(x.a.arc() - y.a.arc()), std::abs(x.b.arc() - y.b.arc()));
}

bool same_bodies(const Contact& x, const Contact& y) {
  return x.a.strand == y.a.strand && x.b.strand == y.b.strand && x.body.body == y.body.body;
}

Contacts contacts_of_strand(Contacts contacts, std::uint32_t strand) {
  const auto [begin, end] =
      std::ranges::equal_range(contacts, strand, {}, [](const Contact& contact) { return contact.a.strand; });
  return {begin, end};
}

struct Candidate {
  double way;
  std::uint32_t now, last;

  auto key() const { return std::tuple(way, now, last); }
};

// Those that come before all others of either side: they are paired whatever the others do, and most are such.
template <class Take>
void take_mutual(std::span<const Candidate> candidates, std::size_t last_count, std::size_t now_count,
                 const Take& take) {
  thread_local std::vector<const Candidate*> of_last, of_now;
  of_last.assign(last_count, nullptr), of_now.assign(now_count, nullptr);
  const auto prefer = [](const Candidate*& best, const Candidate& one) {
    if (best == nullptr || one.key() < best->key()) best = &one;
  };
  for (const Candidate& one : candidates) prefer(of_last[one.last], one), prefer(of_now[one.now], one);
  for (const Candidate* const one : of_now)
    if (one != nullptr && of_last[one->last] == one) take(*one);
}

// Nearest first; equally near ones in the order of the contacts. Matches count from `first_of_strand` on.
void match_strand(Contacts last, std::span<const Contact* const> now, std::uint32_t first_of_strand,
                  std::span<std::uint32_t> match) {
  thread_local std::vector<Candidate> candidates;
  candidates.clear();
  auto begin = last.begin();  // of those within an edge, or beyond
  for (std::uint32_t n = 0; n < now.size(); ++n) {
    const double arc = now[n]->a.arc();
    while (begin != last.end() && begin->a.arc() < arc - 1.0) ++begin;
    for (auto other = begin; other != last.end() && other->a.arc() <= arc + 1.0; ++other)
      if (same_bodies(*other, *now[n]))
        if (const double way = way_between(*other, *now[n]); way <= 1.0)
          candidates.push_back({way, n, static_cast<std::uint32_t>(other - last.begin())});
  }
  thread_local std::vector<char> taken;
  taken.assign(last.size(), 0);
  const auto take = [&](const Candidate& candidate) {
    taken[candidate.last] = 1, match[candidate.now] = first_of_strand + candidate.last;
  };
  const auto is_free = [&](const Candidate& candidate) {
    return taken[candidate.last] == 0 && match[candidate.now] == nobody;
  };
  take_mutual(candidates, last.size(), now.size(), take);
  std::erase_if(candidates, [&](const Candidate& candidate) { return !is_free(candidate); });
  std::ranges::sort(candidates, {}, &Candidate::key);
  for (const Candidate& candidate : candidates)
    if (is_free(candidate)) take(candidate);
}

// Those of strands first .. end - 1.
template <class List, class StrandOf>
List of_strands(List list, std::uint32_t first, std::uint32_t end, const StrandOf& strand_of) {
  const auto begin = std::ranges::lower_bound(list, first, {}, strand_of);
  return {begin, std::ranges::lower_bound(begin, list.end(), end, {}, strand_of)};
}

}  // namespace

// Some strands at a time, so that memory is gone through once.
void match_contacts(Contacts last, std::span<const Contact* const> now, std::vector<std::uint32_t>& match) {
  constexpr std::uint32_t strands_at_once = 64;
  match.assign(now.size(), nobody);
  if (now.empty()) return;
  const auto strand_of = [](const Contact& contact) { return contact.a.strand; };
  const auto strand_of_ref = [](const Contact* contact) { return contact->a.strand; };
  parallel_for(now.back()->a.strand / strands_at_once + 1, [&](std::size_t c) {
    const std::uint32_t from = std::uint32_t(c) * strands_at_once, to = from + strands_at_once;
    Contacts before = of_strands(last, from, to, strand_of);
    for (auto some = of_strands(now, from, to, strand_of_ref); !some.empty();) {
      const std::uint32_t strand = some.front()->a.strand;
      const auto is_other = [&](const auto& of) { return [&](const auto& one) { return of(one) != strand; }; };
      before = {std::ranges::find_if(before, [&](const Contact& one) { return strand_of(one) >= strand; }),
                before.end()};
      const Contacts own_before(before.begin(), std::ranges::find_if(before, is_other(strand_of)));
      const std::span own(some.begin(), std::ranges::find_if(some, is_other(strand_of_ref)));
      match_strand(own_before, own, std::uint32_t(own_before.data() - last.data()),
                   std::span(match).subspan(std::size_t(own.data() - now.data()), own.size()));
      some = some.subspan(own.size()), before = before.subspan(own_before.size());
    }
  });
}

NormalMemory LastContacts::remember(const StrandPoint& a, const StrandPoint& b) const {
  Contact here;
  here.a = a, here.b = b;
  NormalMemory memory;
  double nearest = std::numeric_limits<double>::infinity();
  for (const Contact& contact : contacts_of_strand(contacts_, a.strand)) {
    const double way = way_between(contact, here);
    if (!same_bodies(contact, here) || !(way < nearest)) continue;
    nearest = way;
    memory = {way <= 1.0, true, contact.normal, contact.side};
  }
  return memory;
}

}  // namespace tendril::collide
