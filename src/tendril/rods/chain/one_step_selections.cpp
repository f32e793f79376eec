// Which strands and trees of a step are projected, where to, and what becomes of it (selection.hpp).
#include <algorithm>

#include "tendril/rods/chain/one_step.hpp"

namespace tendril::chain {

// Without contact.
void OneStep::project_free() {
  const Trees& trees = strands_->trees();
  if (trees.empty()) return projector_.project(chains(), projection(), projected_);
  clear_selections();
  for (std::size_t b = 0; b < strands_->size(); ++b)
    if (!is_tied(b)) select_strand(b, Toward::aim, some_strands_);
  for (std::size_t t = 0; t < trees.size(); ++t) select_tree(t, Toward::aim, some_trees_);
  project_selections();
}

// Strands whose velocities contact has changed go to the closest chain to where these lead, in the metric of the step:
// its joints are at rest there (Eq. 35). Links that give way are projected anew under the forces of contact: what they
// carry decides on how long they are. Of a tree all strands go together.
void OneStep::project_touched() {
  const Trees& trees = strands_->trees();
  clear_selections();
  for (std::size_t b = 0; b < blocks_.size(); ++b)
    if (!is_tied(b) && is_changed(b)) select_strand(b, Toward::velocity, some_strands_);
  for (std::size_t t = 0; t < trees.size(); ++t)
    if (std::ranges::any_of(trees.strands(t), [&](std::uint32_t b) { return is_changed(b); }))
      select_tree(t, Toward::velocity, some_trees_);
  project_selections();
}

void OneStep::select_strand(std::size_t b, Toward toward, Selection& to) const {
  const std::size_t first = strands_->offset(b), n = strands_->vertices(b), links = strands_->link(b, 0);
  for (std::size_t i = 0; i < n; ++i) select_point(first + i, toward, to);
  for (std::size_t i = 0; i + 1 < n; ++i) select_link(links + i, to);
  to.tolerance.push_back(tolerance_[b]);
  finish_selection(std::uint32_t(b), toward, to);
}

// Roots that are vertices of other strands add their masses to those, and go where both would on the mean (Eq. 42).
// What a tree starts from are its places now, where its links are as long as they should be.
void OneStep::select_tree(std::size_t t, Toward toward, Selection& to) const {
  const Trees& trees = strands_->trees();
  const std::size_t begin = to.start.size();
  for (const std::uint32_t v : trees.vertices(t)) {
    select_point(v, toward, to);
    if (toward == Toward::aim && !strands_->is_held(v)) to.start.back() = motion_->x[v];
  }
  double length = 0.0;
  for (const std::uint32_t link : trees.links(t)) select_link(link, to), length += strands_->lengths()[link];
  to.tolerance.push_back(tolerance_for(length / double(trees.links(t).size())));
  to.parents.insert(to.parents.end(), trees.parents(t).begin(), trees.parents(t).end());
  thread_local Selection twin;
  for (const auto& [v, node] : trees.twins(t)) {
    double& inverse = to.inverse[begin + node];
    if (inverse == 0.0) continue;
    twin.clear(), select_point(v, toward, twin);
    const double share = inertia_[v] / (inertia_[v] + 1.0 / inverse);
    to.aim[begin + node] += share * (twin.aim.front() - to.aim[begin + node]);
    if (toward == Toward::velocity) to.start[begin + node] += share * (twin.start.front() - to.start[begin + node]);
    inverse = 1.0 / (inertia_[v] + 1.0 / inverse);
  }
  finish_selection(std::uint32_t(t), toward, to);
}

void OneStep::select_point(std::size_t v, Toward toward, Selection& to) const {
  const bool is_held = strands_->is_held(v), gives_way = !compliance_.empty() || strands_->settings().slack;
  to.stiffness.push_back(stiffness_[v]), to.rest.push_back(rest_[v]), to.inverse.push_back(inverse_[v]);
  to.aim.push_back(aim_[v]), to.start.push_back(pulls_along_old_links() ? motion_->x[v] : aim_[v]);
  if (toward == Toward::aim || is_held) return;
  to.aim.back() = from_[v] + step_ * velocity_[v];
  if (!pulls_along_old_links()) to.start.back() = to.aim.back();
  if (!gives_way) return;
  Vector3d force = Vector3d::Zero();  // beside what the aim has in it already
  if (!contact_.empty()) force += contact_[v];
  if (!around_->expected.empty()) force -= around_->expected[v];
  to.aim.back() = aim_[v] + step_ * step_ * inverse_[v] * force;
}

void OneStep::select_link(std::size_t link, Selection& to) const {
  to.length.push_back(strands_->lengths()[link]), to.share.push_back(strands_->shares()[link]);
  if (!compliance_.empty()) to.compliance.push_back(compliance_[link]);
}

void OneStep::finish_selection(std::uint32_t which, Toward toward, Selection& to) const {
  const std::size_t begin = to.offsets.back(), n = to.start.size() - begin, link = begin - to.which.size();
  to.which.push_back(which), to.offsets.push_back(std::uint32_t(begin + n));
  if (toward == Toward::aim || !compliance_.empty() || strands_->settings().slack) return;
  const Joints joints = joints_of({to.stiffness, to.share, to.rest, to.parents}, begin, link, n);
  for (std::size_t i = 0; i < n; ++i) to.rest[begin + i] = bend_at(joints, std::span(to.start).subspan(begin, n), i);
}

void OneStep::clear_selections() { some_strands_.clear(), some_trees_.clear(); }

void OneStep::project_selections() {
  projected_.positions.resize(strands_->vertex_count()), projected_.multipliers.resize(strands_->lengths().size());
  projected_.chains.resize(strands_->size());
  for (Selection* some : {&some_strands_, &some_trees_})
    if (!some->which.empty())
      projector_.project(some->chains(strands_->is_bent(), strands_->settings().slack), projection(), some->found);
  put_back_strands(), put_back_trees();
}

void OneStep::put_back_strands() {
  const Projections& found = some_strands_.found;
  for (std::size_t k = 0; k < some_strands_.which.size(); ++k) {
    const std::uint32_t b = some_strands_.which[k], begin = some_strands_.offsets[k];
    const std::size_t n = strands_->vertices(b);
    std::copy_n(&found.positions[begin], n, &projected_.positions[strands_->offset(b)]);
    std::copy_n(&found.multipliers[begin - k], n - 1, &projected_.multipliers[strands_->link(b, 0)]);
    projected_.chains[b] = found.chains[k];
  }
}

void OneStep::put_back_trees() {
  const Projections& found = some_trees_.found;
  for (std::size_t k = 0; k < some_trees_.which.size(); ++k) {
    const std::uint32_t t = some_trees_.which[k], begin = some_trees_.offsets[k];
    const auto vertices = strands_->trees().vertices(t), links = strands_->trees().links(t);
    for (std::size_t i = 0; i < vertices.size(); ++i) projected_.positions[vertices[i]] = found.positions[begin + i];
    for (std::size_t i = 0; i < links.size(); ++i) projected_.multipliers[links[i]] = found.multipliers[begin - k + i];
    for (const auto& [v, node] : strands_->trees().twins(t)) projected_.positions[v] = found.positions[begin + node];
    for (const std::uint32_t b : strands_->trees().strands(t)) projected_.chains[b] = found.chains[k];
  }
}

}  // namespace tendril::chain
