// Table 2: one-step problems by every local solver in Gauss-Seidel, alone and with the enumerative fail-safe, and by
// `auto`: how often the fail-safe was called, how often a local solve failed, and how many problems were left.
#include <fmt/format.h>

#include <algorithm>

#include "experiments/contact/batch.hpp"
#include "experiments/contact/contact.hpp"

namespace tendril::experiments::contact {
namespace {

// Of the paper's table: share of calls of the alternative, of failed calls, of problems above the tolerance [%],
// iterations, milliseconds.
std::string row_of_the_paper(const std::string& name) {
  if (name == "4sides") return "-/0/0/575/6497";
  if (name == "4sides+enum") return "38.7/.001/0/47/763";
  if (name == "duriez08") return "-/2.45/50/267/4336";
  if (name == "duriez08+enum") return "51/.0007/.33/90/1447";
  if (name == "pac") return "-/.43/19.3/163/1265";
  if (name == "pac+enum") return ".1/1e-5/0/62/543";
  if (name == "dac") return "-/.26/.33/60/874";
  if (name == "dac+enum") return ".09/1e-6/0/57/789";
  if (name == "mfb") return "-/.13/4.9/72/484";
  if (name == "mfb+enum") return ".07/1e-6/0/41/312";
  if (name == "enum") return "-/.0005/1/67/1044";
  return "";
}

plot::Table table_of(const BatchResult& result) {
  plot::Table table{fmt::format("The {} batch: {} problems of {} to {} contacts, error {:.0e}, at most {} sweeps.",
                                result.batch.name, result.batch.problems.size(), result.contacts_least,
                                result.contacts_most, result.batch.tolerance, result.batch.most_sweeps),
                    {{"solver"},
                     {"fail-safe [%]", true},
                     {"failed [%]", true},
                     {"over tolerance [%]", true},
                     {"sweeps", true},
                     {"time [ms]", true},
                     {"worst error", true},
                     {"paper", true}},
                    {}};
  for (const Run& run : result.runs) {
    const double solves = double(std::max<std::size_t>(1, run.local_solves));
    const bool sweeps = run.contestant.options.local.has_value();
    table.rows.push_back(
        {run.contestant.name,
         run.contestant.is_hybrid() ? fmt::format("{:.2g}", 100.0 * double(run.alternated) / solves) : std::string("-"),
         sweeps ? fmt::format("{:.2g}", 100.0 * double(run.failed) / solves) : std::string("-"),
         fmt::format("{:.3g}", 100.0 * double(run.over()) / double(run.sweeps.size())),
         fmt::format("{:.0f}", run.mean_sweeps()), fmt::format("{:.1f}", run.mean_milliseconds()),
         fmt::format("{:.1e}", run.worst_error()), row_of_the_paper(run.contestant.name)});
  }
  return table;
}

void claim_nothing_left(const BatchResult& result, const std::string& name, const char* paper, Findings& out) {
  const Run& run = result.of(name);
  out.claim(fmt::format("{} batch, {}: problems over tolerance", result.batch.name, name), paper,
            fmt::format("{} of {}, worst error {:.1e}", run.over(), run.sweeps.size(), run.worst_error()), "none",
            run.over() == 0);
}

// Where even exact sweeps circle: what is left must not be the fault of the local solver.
void claim_no_more_than_others(const BatchResult& result, Findings& out) {
  const Run &hybrid = result.of("mfb+enum"), &alone = result.of("mfb");
  std::size_t fewest = hybrid.over();
  for (const Run& run : result.runs)
    if (run.contestant.options.local) fewest = std::min(fewest, run.over());
  out.claim(fmt::format("{} batch, mfb+enum: problems over tolerance", result.batch.name), "0 of 306, of ordinary ones",
            fmt::format("{} of {}; {} by mfb alone, {} by the best of all local solvers", hybrid.over(),
                        hybrid.sweeps.size(), alone.over(), fewest),
            "no more than by any other local solver", hybrid.over() == fewest);
}

void claim_fail_safe_helps(const BatchResult& result, Findings& out) {
  std::string worse;
  for (const Run& run : result.runs)
    if (run.contestant.is_hybrid() && run.over() > result.of(run.contestant.partner).over())
      worse += " " + run.contestant.name;
  out.claim(fmt::format("{} batch: the fail-safe never leaves more problems", result.batch.name), "fewer for all",
            worse.empty() ? "never more" : "more with" + worse, "never more", worse.empty());
}

void claim_inexact_stall(const BatchResult& result, Findings& out) {
  for (const char* name : {"4sides", "duriez06"}) {
    const Run& run = result.of(name);
    out.claim(
        fmt::format("{} batch, {} alone", result.batch.name, name), "stalls by the exact law",
        fmt::format("{} of {} over tolerance, worst error {:.1e}", run.over(), run.sweeps.size(), run.worst_error()),
        "most problems over tolerance", 2 * run.over() > run.sweeps.size());
  }
}

void tell_costs(const BatchResult& result, Findings& out) {
  const Run *cheapest = nullptr, &hybrid = result.of("mfb+enum");
  for (const Run& run : result.runs)
    if (run.contestant.options.local && run.over() == 0 &&
        (cheapest == nullptr || run.mean_milliseconds() < cheapest->mean_milliseconds()))
      cheapest = &run;
  if (cheapest == nullptr) return;
  out.tell(fmt::format("{} batch: time of mfb+enum over that of the cheapest that leaves nothing", result.batch.name),
           "1, it is the cheapest",
           fmt::format("{:.1f} ({}); auto takes {:.2f} of the time of mfb+enum",
                       hybrid.mean_milliseconds() / cheapest->mean_milliseconds(), cheapest->contestant.name,
                       result.of("auto").mean_milliseconds() / hybrid.mean_milliseconds()));
}

}  // namespace

Findings table2(const Context& context) {
  Findings out;
  for (const BatchResult& result : all_batches(context.quick)) {
    if (result.batch.name == "extreme")
      claim_no_more_than_others(result, out);
    else
      claim_nothing_left(result, "mfb+enum", "0 of 306", out);
    claim_nothing_left(result, "auto", "not there", out);
    if (result.batch.tolerance > 1e-6) claim_nothing_left(result, "auto to 1e-6", "not there", out);
    claim_fail_safe_helps(result, out);
    claim_inexact_stall(result, out);
    tell_costs(result, out);
    out.tables.push_back(table_of(result));
  }
  return out;
}

}  // namespace tendril::experiments::contact
