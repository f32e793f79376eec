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

// Nearest first; equally near ones in the order of the contacts.
void match_strand(Contacts all_last, Contacts last, Contacts now, std::span<std::uint32_t> match) {
  thread_local std::vector<Candidate> candidates;
  candidates.clear();
  auto begin = last.begin();  // of those within an edge, or beyond
  for (std::uint32_t n = 0; n < now.size(); ++n) {
    while (begin != last.end() && begin->a.arc() < now[n].a.arc() - 1.0) ++begin;
    for (auto other = begin; other != last.end() && other->a.arc() <= now[n].a.arc() + 1.0; ++other)
      if (same_bodies(*other, now[n]))
        if (const double way = way_between(*other, now[n]); way <= 1.0)
          candidates.push_back({way, n, static_cast<std::uint32_t>(other - last.begin())});
  }
  std::ranges::sort(candidates, {}, &Candidate::key);
  thread_local std::vector<char> taken;
  taken.assign(last.size(), 0);
  const auto first_of_strand = static_cast<std::uint32_t>(last.data() - all_last.data());
  for (const Candidate& candidate : candidates) {
    if (taken[candidate.last] != 0 || match[candidate.now] != nobody) continue;
    taken[candidate.last] = 1;
    match[candidate.now] = first_of_strand + candidate.last;
  }
}

}  // namespace

void match_contacts(Contacts last, Contacts now, std::vector<std::uint32_t>& match) {
  match.assign(now.size(), nobody);
  std::vector<std::size_t> first;  // contact of each strand that has any
  for (std::size_t n = 0; n < now.size(); ++n)
    if (n == 0 || now[n].a.strand != now[n - 1].a.strand) first.push_back(n);
  first.push_back(now.size());
  parallel_for(first.size() - 1, [&](std::size_t s) {
    const std::size_t count = first[s + 1] - first[s];
    const Contacts before = contacts_of_strand(last, now[first[s]].a.strand);
    match_strand(last, before, now.subspan(first[s], count), std::span(match).subspan(first[s], count));
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
