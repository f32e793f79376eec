// Figure 6: what it takes to make the Delassus operator W = H M^-1 Hᵀ, against the number of contacts, and block by
// block against a product of general sparse matrices (docs/theory/contact.md, "Two forms of the problem").
#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <limits>

#include "experiments/bundle.hpp"
#include "experiments/contact/contact.hpp"
#include "tendril/base/cpu_seconds.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/contact/contact_rows.hpp"
#include "tendril/contact/delassus_blocks.hpp"
#include "tendril/contact/islands.hpp"
#include "tendril/contact/node_space.hpp"

namespace tendril::experiments::contact {
namespace {

using tendril::contact::BlockInverses;
using tendril::contact::DelassusBlocks;
using tendril::contact::Problem;
using Sparse = Eigen::SparseMatrix<double>;

constexpr int rounds = 5;                      // the best counts
constexpr std::size_t most_for_sparse = 6000;  // contacts: beyond that a sparse product takes gigabytes
constexpr std::size_t least_for_ratio = 1000;  // contacts

template <class Work>
double best_seconds(Work&& work) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < rounds; ++i) {
    const double start = cpu_seconds();
    work();
    best = std::min(best, cpu_seconds() - start);
  }
  return best;
}

// As a user of a sparse library writes it: M^-1 and H are sparse matrices, and the library multiplies.
Sparse sparse_inverse(const Problem& problem) {
  std::vector<Eigen::Triplet<double>> entries;
  for (const tendril::contact::Block& block : problem.blocks) {
    const auto n = Eigen::Index(block.size);
    const Eigen::MatrixXd inverse = problem.matrix(block).llt().solve(Eigen::MatrixXd::Identity(n, n));
    for (Eigen::Index c = 0; c < n; ++c)
      for (Eigen::Index r = 0; r < n; ++r)
        entries.emplace_back(int(block.first) + int(r), int(block.first) + int(c), inverse(r, c));
  }
  Sparse m(Eigen::Index(problem.f.size()), Eigen::Index(problem.f.size()));
  m.setFromTriplets(entries.begin(), entries.end());
  return m;
}

Sparse sparse_delassus(const Problem& problem) {
  const Sparse h = tendril::contact::rows_of(problem);
  const Sparse response = sparse_inverse(problem) * h.transpose();
  return h * response;
}

// What solvers that do without W need in its place: blocks on nodes, and the diagonal of W.
void prepare_without(const Problem& problem) {
  const BlockInverses inverses(problem);
  const tendril::contact::Islands islands = tendril::contact::islands_of(problem);
  for (std::size_t i = 0; i < islands.size(); ++i) tendril::contact::NodeSpace(problem, inverses, islands[i]);
}

struct Measured {
  std::size_t contacts = 0, blocks = 0;
  double seconds = 0.0, sparse_seconds = 0.0, without_seconds = 0.0;
  double difference = 0.0;  // of the two W, over the largest entry

  double ns_per_block() const { return 1e9 * seconds / double(blocks); }
  double ratio() const { return sparse_seconds / seconds; }
};

double difference(const DelassusBlocks& w, const Sparse& sparse) {
  double largest = 0.0, apart = 0.0;
  for (std::size_t i = 0; i + 1 < w.starts.size(); ++i)
    for (std::size_t k = w.starts[i]; k < w.starts[i + 1]; k += 7)  // a sample: looking entries up takes its time
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) {
          const double other = sparse.coeff(Eigen::Index(3 * i) + r, Eigen::Index(3 * w.columns[k]) + c);
          largest = std::max(largest, std::abs(other)), apart = std::max(apart, std::abs(other - w.values[k](r, c)));
        }
  return apart / largest;
}

Measured measure(const Problem& problem, bool with_sparse) {
  Measured out{problem.size()};
  DelassusBlocks w;
  out.seconds = best_seconds([&] { w = tendril::contact::delassus_blocks(problem, BlockInverses(problem)); });
  out.blocks = w.columns.size();
  out.without_seconds = best_seconds([&] { prepare_without(problem); });
  if (!with_sparse || problem.size() > most_for_sparse) return out;
  Sparse sparse;
  out.sparse_seconds = best_seconds([&] { sparse = sparse_delassus(problem); });
  out.difference = difference(w, sparse);
  return out;
}

Problem bundle_of(int strands) {
  BundleOptions options;
  options.strands = strands;
  return bundle(options);
}

std::vector<Measured> growing_bundles(bool quick) {
  std::vector<Measured> out;
  for (const int strands : quick ? std::vector{30, 60} : std::vector{30, 60, 132, 260, 520})
    out.push_back(measure(bundle_of(strands), true));
  return out;
}

std::vector<Measured> growing_contacts(bool quick) {
  std::vector<Measured> out;
  const Problem all = bundle_of(quick ? 60 : 520);
  for (const double share : {0.05, 0.1, 0.2, 0.4, 0.7, 1.0}) out.push_back(measure(thinned(all, share), false));
  return out;
}

plot::Chart chart_of(const std::vector<Measured>& bundles, const std::vector<Measured>& thinned_out) {
  plot::Chart chart{.title = "Time of W",
                    .description = "One thread, best of five. Bundles that grow, and one with more contacts each.",
                    .x = {.label = "contacts", .kind = plot::AxisKind::logarithmic},
                    .y = {"time", "s", plot::AxisKind::logarithmic}};
  const auto add = [&](const char* name, const std::vector<Measured>& of, double Measured::*seconds) {
    std::vector<double> x, y;
    for (const Measured& m : of)
      if (m.*seconds > 0.0) x.push_back(double(m.contacts)), y.push_back(m.*seconds);
    chart.add(name, x, y, plot::Mark::line_and_points);
  };
  add("blocks, growing bundle", bundles, &Measured::seconds);
  add("sparse product, growing bundle", bundles, &Measured::sparse_seconds);
  add("preparation without W", bundles, &Measured::without_seconds);
  add("blocks, same strands", thinned_out, &Measured::seconds);
  return chart;
}

plot::Table table_of(const std::vector<Measured>& bundles, const std::vector<Measured>& thinned_out) {
  plot::Table table{"Bundles that grow, then one bundle with more and more contacts.",
                    {{"contacts"},
                     {"blocks of W", true},
                     {"in blocks [ms]", true},
                     {"per block [ns]", true},
                     {"sparse product [ms]", true},
                     {"ratio", true},
                     {"without W [ms]", true}},
                    {}};
  for (const auto* rows : {&bundles, &thinned_out})
    for (const Measured& m : *rows)
      table.rows.push_back({fmt::format("{}", m.contacts), fmt::format("{}", m.blocks),
                            fmt::format("{:.2f}", 1e3 * m.seconds), fmt::format("{:.0f}", m.ns_per_block()),
                            m.sparse_seconds > 0.0 ? fmt::format("{:.1f}", 1e3 * m.sparse_seconds) : "",
                            m.sparse_seconds > 0.0 ? fmt::format("{:.1f}", m.ratio()) : "",
                            fmt::format("{:.2f}", 1e3 * m.without_seconds)});
  return table;
}

}  // namespace

Findings figure6(const Context& context) {
  const int threads = thread_count();
  set_thread_count(1);
  const std::vector<Measured> bundles = growing_bundles(context.quick), more = growing_contacts(context.quick);
  set_thread_count(threads);

  Findings out;
  const auto [least, most] = std::ranges::minmax(bundles, {}, &Measured::ns_per_block);
  out.claim(fmt::format("time of W per block, {} to {} contacts", bundles.front().contacts, bundles.back().contacts),
            "grows as the number of blocks",
            fmt::format("{:.0f} to {:.0f} ns", least.ns_per_block(), most.ns_per_block()),
            "constant within a factor of 2", most.ns_per_block() <= 2.0 * least.ns_per_block());
  const Measured &first = more[more.size() - 2], &last = more.back();
  out.tell(
      "time of W on the same strands, as a power of the contacts", "2; 20 000 contacts in less than 1 s",
      fmt::format("{:.1f}; {} contacts in {:.2f} s",
                  std::log(last.seconds / first.seconds) / std::log(double(last.contacts) / double(first.contacts)),
                  last.contacts, last.seconds));
  double ratio = std::numeric_limits<double>::infinity(), apart = 0.0;
  for (const Measured& m : bundles)
    if (m.sparse_seconds > 0.0) {
      apart = std::max(apart, m.difference);
      if (m.contacts >= least_for_ratio) ratio = std::min(ratio, m.ratio());
    }
  out.claim("product of general sparse matrices over blocks", "blocks win",
            fmt::format("{:.1f} times as long at least; both W agree to {:.0e}", ratio, apart),
            "more than 2 from 1000 contacts on, same W", ratio > 2.0 && apart < 1e-10);
  out.tell("without W", "not done",
           fmt::format("{:.3f} s of preparation for {} contacts, {:.0f} times less", bundles.back().without_seconds,
                       bundles.back().contacts, bundles.back().seconds / bundles.back().without_seconds));
  out.charts.push_back(chart_of(bundles, more));
  out.tables.push_back(table_of(bundles, more));
  out.notes.push_back("No solver of ours needs W: velocities are kept in its place. It is made for files and rivals.");
  return out;
}

}  // namespace tendril::experiments::contact
