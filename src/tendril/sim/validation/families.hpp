// The families of benchmarks, one file each.
#pragma once

#include <vector>

#include "tendril/sim/validation.hpp"

namespace tendril::validation {

std::vector<Case> elementary_cases(const Model& model);    // B1
std::vector<Case> cantilever_cases(const Model& model);    // B2
std::vector<Case> buckling_cases(const Model& model);      // B3
std::vector<Case> twist_cases(const Model& model);         // B4
std::vector<Case> spring_cases(const Model& model);        // B5
std::vector<Case> catenary_cases(const Model& model);      // B6
std::vector<Case> vibration_cases(const Model& model);     // B7
std::vector<Case> pendulum_cases(const Model& model);      // B8
std::vector<Case> hanging_cases(const Model& model);       // B6, B8 by scenes, of chains
std::vector<Case> friction_cases(const Model& model);      // B9, B10, of strands with free ends
std::vector<Case> conservation_cases(const Model& model);  // B11
std::vector<Case> any_model_cases(const Model& model);     // B2, B7, B9, B11 by scenes, of strands with a clamped root

}  // namespace tendril::validation
