#include "tendril/plot/page_style.hpp"

#include <fmt/format.h>

#include "tendril/plot/palette.hpp"

namespace tendril::plot {
namespace {

std::string variables(std::string_view Colour::*theme) {
  std::string css =
      fmt::format("  --background: {}; --panel: {}; --ink: {}; --muted: {}; --rule: {}; --good: {}; --bad: {};\n ",
                  background.*theme, panel.*theme, ink.*theme, muted.*theme, rule.*theme, good.*theme, bad.*theme);
  for (std::size_t i = 0; i < series_colours.size(); ++i)
    css += fmt::format(" --s{}: {};", i, series_colours[i].*theme);
  return css + "\n";
}

std::string series_rules() {
  std::string css;
  for (std::size_t i = 0; i < series_colours.size(); ++i) css += fmt::format(".s{0} {{ color: var(--s{0}) }}\n", i);
  for (std::size_t i = 0; i < dashes.size(); ++i) css += fmt::format(".d{} {{ stroke-dasharray: {} }}\n", i, dashes[i]);
  return css;
}

constexpr std::string_view page_rules = R"(* { box-sizing: border-box }
html { background: var(--background); color: var(--ink); -webkit-text-size-adjust: 100% }
body { margin: 0; font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif }
main { max-width: 1120px; margin: 0 auto; padding: 32px 24px 64px }
h1 { font-size: 28px; line-height: 1.2; font-weight: 650; margin: 0 0 20px; overflow-wrap: anywhere }
h2 { font-size: 19px; font-weight: 600; margin: 44px 0 14px; padding-top: 18px; border-top: 1px solid var(--rule) }
.title { font-size: 15px; font-weight: 600; margin: 0 0 8px; padding: 0; border: 0; overflow-wrap: anywhere }
p, ul { max-width: 72ch; margin: 0 0 14px; overflow-wrap: anywhere }
ul { padding-left: 1.2em }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 440px), 1fr)); gap: 36px 40px; margin: 0 0 28px }
figure { margin: 0; min-width: 0; max-width: 640px }
figcaption { color: var(--muted); font-size: 13px; margin: 8px 0 6px; max-width: 68ch }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(158px, 1fr)); gap: 14px 24px; margin: 0 0 24px }
.facts div { border-top: 1px solid var(--rule); padding-top: 8px }
dt { color: var(--muted); font-size: 12.5px }
dd { margin: 2px 0 0; font-size: 16px; font-weight: 550; font-variant-numeric: tabular-nums; overflow-wrap: anywhere }
.scroll { overflow-x: auto; margin: 0 0 24px }
table { border-collapse: collapse; font-size: 13.5px; font-variant-numeric: tabular-nums }
caption { text-align: left; color: var(--muted); font-size: 13px; padding: 0 0 6px }
th, td { text-align: left; padding: 5px 18px 5px 0; border-bottom: 1px solid var(--rule); vertical-align: top }
thead th { color: var(--muted); font-weight: 500; font-size: 12.5px; vertical-align: bottom }
tbody th { font-weight: 500; min-width: 7em }
.number { text-align: right; white-space: nowrap }
.good { color: var(--good) }
.bad { color: var(--bad); font-weight: 650 }
details { font-size: 13px }
summary { color: var(--muted); cursor: pointer; width: fit-content; padding: 2px 0 }
details .scroll { max-height: 320px; overflow: auto; margin: 6px 0 0; padding: 8px 12px; background: var(--panel); border-radius: 6px }
:focus-visible { outline: 2px solid var(--s0); outline-offset: 2px; border-radius: 3px }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
)";

constexpr std::string_view chart_rules = R"(.chart { display: block; width: 100%; height: auto; overflow: visible }
.chart text { font-size: 12px; fill: var(--muted); font-variant-numeric: tabular-nums }
.chart .name { fill: var(--ink) }
.chart .legend { fill: var(--ink) }
.chart .note { fill: var(--ink); stroke: var(--background); stroke-width: 3px; paint-order: stroke; stroke-linejoin: round }
.chart .middle { text-anchor: middle }
.chart .end { text-anchor: end }
.grid, .axis, .reference, .guide, .line, .round, .open { fill: none }
.grid { stroke: var(--rule); stroke-width: 1 }
.axis { stroke: var(--muted); stroke-width: 1 }
.reference { stroke: var(--ink); stroke-width: 1; stroke-dasharray: 4 3 }
.guide { stroke: var(--muted); stroke-width: 1; stroke-dasharray: 1 3; stroke-linecap: round }
.band { fill: var(--muted); opacity: 0.14 }
.line { stroke: currentColor; stroke-width: 1.75; stroke-linejoin: round }
.round { stroke: currentColor; stroke-width: 6.5; stroke-linecap: round }
.solid { fill: currentColor }
.open { stroke: currentColor; stroke-width: 1.75 }
.bar { fill: currentColor }
)";

// On narrow screens the drawing shrinks: larger letters in it, for which its layout keeps room. On paper everything is
// dark on white, whatever the screen shows, and the tables stay folded.
constexpr std::string_view medium_rules = R"(@media (max-width: 600px) {
  main { padding: 20px 14px 40px }
  .chart text { font-size: 14.5px }
  .facts { grid-template-columns: repeat(auto-fill, minmax(130px, 1fr)) }
}
@media print {
  main { max-width: none; padding: 0 }
  body { font-size: 10pt }
  .charts { grid-template-columns: 1fr 1fr; gap: 18px 24px }
  figure, .facts, tr { break-inside: avoid }
  h2 { break-after: avoid; margin-top: 24px }
  .scroll { overflow: visible }
  details { display: none }
}
)";

}  // namespace

std::string page_style() {
  return fmt::format(
      ":root {{\n  color-scheme: light dark;\n{}}}\n@media screen and (prefers-color-scheme: dark) {{ :root {{\n{}}} "
      "}}\n{}{}{}{}",
      variables(&Colour::light), variables(&Colour::dark), page_rules, chart_rules, series_rules(), medium_rules);
}

}  // namespace tendril::plot
