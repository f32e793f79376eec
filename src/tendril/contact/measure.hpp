// Velocities and errors of many contacts at once, under velocities of the nodes (four numbers for each), and what they
// push with.
#pragma once

#include <cstdint>
#include <span>

#include "tendril/contact/node_space.hpp"

namespace tendril::contact {

// u of all contacts.
void measure_velocities(const NodeSpace& space, const double* v, Impulses& u);

// force += Hᵀ r of all contacts, four numbers per node.
void push_all(const NodeSpace& space, const Impulses& r, double* force);

// [m/s], how far from the law all contacts are, or some of them, each in its place among `errors`: 0 for what cannot be
// moved, NaN if a number is.
void measure_errors(const NodeSpace& space, const Impulses& r, const double* v, std::span<double> errors);
void measure_errors(const NodeSpace& space, std::span<const std::uint32_t> some, const Impulses& r, const double* v,
                    std::span<double> errors);

}  // namespace tendril::contact
