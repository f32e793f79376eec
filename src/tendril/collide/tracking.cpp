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
  std::ranges::sort(candidates, {}, &Candidate::key);
  thread_local std::vector<char> taken;
  taken.assign(last.size(), 0);
  for (const Candidate& candidate : candidates) {
    if (taken[candidate.last] != 0 || match[candidate.now] != nobody) continue;
    taken[candidate.last] = 1;
    match[candidate.now] = first_of_strand + candidate.last;
  }
}

// The contacts of one strand in both lists.
struct OfStrand {
  std::size_t first, count, first_before, count_before;
};

// Both are in the order of strands: one walk through them.
std::vector<OfStrand> by_strands(Contacts last, std::span<const Contact* const> now) {
  std::vector<OfStrand> strands;
  std::size_t before = 0;
  for (std::size_t n = 0; n < now.size();) {
    const std::uint32_t strand = now[n]->a.strand;
    const auto end_of = [&](std::size_t from, std::size_t size, const auto& strand_at) {
      while (from < size && strand_at(from) == strand) ++from;
      return from;
    };
    while (before < last.size() && last[before].a.strand < strand) ++before;
    const std::size_t end = end_of(n, now.size(), [&](std::size_t k) { return now[k]->a.strand; });
    const std::size_t end_before = end_of(before, last.size(), [&](std::size_t k) { return last[k].a.strand; });
    strands.push_back({n, end - n, before, end_before - before});
    n = end, before = end_before;
  }
  return strands;
}

}  // namespace

void match_contacts(Contacts last, std::span<const Contact* const> now, std::vector<std::uint32_t>& match) {
  match.assign(now.size(), nobody);
  const std::vector<OfStrand> strands = by_strands(last, now);
  parallel_for(strands.size(), [&](std::size_t s) {
    const auto& [first, count, first_before, count_before] = strands[s];
    match_strand(last.subspan(first_before, count_before), now.subspan(first, count), std::uint32_t(first_before),
                 std::span(match).subspan(first, count));
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
