// Contract between energies and local solvers: springs, tetrahedra, bends, attachments as flat arrays with gather
// indices. Each solver family asks for one view of the same element, so all of them run on one energy:
//
//   PBD, XPBD   constraint value and gradient        ADMM          proximal step
//   PD          projection                           Newton, VBD   energy, gradient and Hessian block
//
// `local` holds the element's points one after the other, three numbers each, gathered by `points(element)`.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>

namespace tendril {

template <class E>
concept ElementSet = requires(const E& elements, std::size_t element) {
  { elements.size() } -> std::convertible_to<std::size_t>;
  { elements.points(element) } -> std::convertible_to<std::span<const std::size_t>>;
};

template <class E>
concept ConstraintElements = ElementSet<E> &&
    requires(const E& elements, std::size_t element, std::span<const double> local, std::span<double> gradient) {
  { elements.constraint(element, local, gradient) } -> std::convertible_to<double>;
  { elements.compliance(element) } -> std::convertible_to<double>;  // [1/stiffness]; 0 = rigid
};

template <class E>
concept ProjectedElements = ElementSet<E> &&
    requires(const E& elements, std::size_t element, std::span<const double> local, std::span<double> projected) {
  { elements.project(element, local, projected) } -> std::same_as<void>;  // nearest points of zero energy
  { elements.weight(element) } -> std::convertible_to<double>;
};

template <class E>
concept ProximalElements = ElementSet<E> && requires(const E& elements, std::size_t element, double weight,
                                                     std::span<const double> local, std::span<double> moved) {
  // moved = argmin energy + weight/2 |moved - local|^2
  { elements.proximal(element, weight, local, moved) } -> std::same_as<void>;
};

template <class E>
concept EnergyElements = ElementSet<E> &&
    requires(const E& elements, std::size_t element, std::span<const double> local, std::span<double> gradient,
             std::span<double> hessian) {
  { elements.energy(element, local) } -> std::convertible_to<double>;
  { elements.gradient(element, local, gradient) } -> std::same_as<void>;
  { elements.hessian(element, local, hessian) } -> std::same_as<void>;  // dense, positive semidefinite
};

}  // namespace tendril
