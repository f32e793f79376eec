"""tendril.sagfree: strands keep their shape, and say what it took."""

import unittest

import numpy as np
import tendril

DOWN = (0.0, 0.0, -9.81)


def horizontal(vertices=30):
    points = np.linspace((0.0, 0.0, 0.0), (0.3, 0.0, 0.0), vertices)
    return tendril.der.Strands(points, radius=2e-4, young=1e9, shear=1e9, density=1300.0)


class Optimise(unittest.TestCase):
    def test_horizontal_strand_gets_the_stiffness_that_its_bound_asks_for(self):
        free = tendril.sagfree.optimise(horizontal(), mu=1e3, gravity=DOWN)
        needed = np.hypot(free.rest_curvature[1:-1, 0], free.rest_curvature[1:-1, 1])
        self.assertAlmostEqual(needed[0], 0.553437, places=4)
        bounded = tendril.sagfree.optimise(horizontal(), mu=0.2, gravity=DOWN)
        np.testing.assert_allclose(bounded.bend_modulus[1:-1] / 1e9, np.maximum(1.0, needed / 0.2), rtol=1e-4)
        self.assertEqual(bounded.status, ["unstable"])
        self.assertLess(bounded.imbalance[0], 1e-12)

    def test_strand_stays_where_it_was_drawn(self):
        naive, kept = horizontal(), horizontal()
        optimum = tendril.sagfree.optimise(kept, gravity=DOWN)
        self.assertEqual(optimum.status, ["balanced"])
        self.assertEqual(optimum.negative_modes[0], 0)
        for strand in (naive, kept):
            strand.step(1 / 240, gravity=DOWN, steps=240)
        self.assertLess(naive.positions[-1, 2], -0.1)
        self.assertLess(np.abs(kept.positions[:, 2]).max(), 1e-9)
        np.testing.assert_array_equal(optimum.rest_curvature, kept.rest_curvature)

    def test_naive_only_measures(self):
        strand = horizontal()
        optimum = tendril.sagfree.optimise(strand, mode="naive", gravity=DOWN)
        self.assertEqual(optimum.imbalance[0], optimum.imbalance_before[0])
        self.assertFalse(strand.rest_strain.any())

    def test_general_optimiser_takes_what_the_sweep_cannot(self):
        points = np.linspace((0.0, 0.0, 0.0), (0.3, 0.0, 0.0), 12)
        both = tendril.sagfree.optimise(tendril.der.Strands(points, clamp=("edge", "edge")))
        self.assertEqual(both.status, ["balanced"])
        self.assertGreater(both.newton_iterations[0], 0)
        loose = tendril.der.Strands(points, clamp="free")
        self.assertEqual(tendril.sagfree.optimise(loose).status, ["not-held"])

    def test_modes_come_closer_and_closer(self):
        left = [
            tendril.sagfree.optimise(horizontal(), mode=mode, mu=0.2, gravity=DOWN).imbalance[0]
            for mode in ("naive", "rest-shape", "penalty", "full", "sweep")
        ]
        self.assertEqual(left, sorted(left, reverse=True))
        self.assertLess(left[3], 1e-6)

    def test_stiffness_in_common_and_smooth(self):
        def factors(**options):
            points = [np.linspace((0.0, 0.0, 0.0), (length, 0.0, 0.0), 16) for length in (0.3, 0.2)]
            strands = tendril.der.Strands(points, radius=2e-4, young=1e9, shear=1e9, density=1300.0)
            found = tendril.sagfree.optimise(strands, mu=0.1, gravity=DOWN, **options)
            self.assertLess(found.imbalance.max(), 1e-9)
            bend = found.bend_modulus.reshape(2, 16)[:, 1:-1] / 1e9
            return bend

        each, strand, group = factors(), factors(share="strand"), factors(share="group")
        np.testing.assert_allclose(strand, each.max(axis=1, keepdims=True) * np.ones(14), rtol=1e-6)
        np.testing.assert_allclose(group, each.max(), rtol=1e-6)
        np.testing.assert_array_equal(factors(share="group", groups=[1, 0]), strand)
        smooth = factors(smooth=10.0)
        self.assertTrue((smooth >= each - 1e-9).all())
        self.assertLess(np.abs(np.diff(smooth, 2)).max(), np.abs(np.diff(each, 2)).max())

    def test_ways_of_the_general_optimiser_agree(self):
        def optimum(**options):
            found = tendril.sagfree.optimise(horizontal(12), mode="full", mu=0.3, gravity=DOWN, **options)
            self.assertLess(found.imbalance[0], 1e-6)
            return found

        banded = optimum()
        for other in (optimum(matrix="sparse"), optimum(curvature_variables=4), optimum(growth=True)):
            np.testing.assert_allclose(other.bend_modulus, banded.bend_modulus, rtol=1e-5)
        short = tendril.sagfree.optimise(horizontal(12), mode="full", mu=0.3, gravity=DOWN, max_iterations=2)
        self.assertEqual(short.status, ["stopped"])

    def test_wrong_arguments_are_refused_in_one_sentence(self):
        strand = horizontal(5)
        for message, call in (
            ("^strands: give a tendril.der.Strands", lambda: tendril.sagfree.optimise(3)),
            ("^mode: is 'swep'; it must be", lambda: tendril.sagfree.optimise(strand, mode="swep")),
            ("^mu: is -1; it must be from 0", lambda: tendril.sagfree.optimise(strand, mu=-1)),
            ("^mu: is not an array of real numbers", lambda: tendril.sagfree.optimise(strand, mu="much")),
            ("^max_stiffness: is 0.5", lambda: tendril.sagfree.optimise(strand, max_stiffness=0.5)),
            ("^share: is 'all'; it must be", lambda: tendril.sagfree.optimise(strand, share="all")),
            ("^groups: needs share", lambda: tendril.sagfree.optimise(strand, groups=[0])),
            ("^groups: must be one integer", lambda: tendril.sagfree.optimise(strand, share="group", groups=[0.5])),
            ("groups: must have one entry per", lambda: tendril.sagfree.optimise(strand, share="group", groups=[0, 1])),
            ("^smooth: stiffness that is shared", lambda: tendril.sagfree.optimise(strand, share="strand", smooth=1)),
            ("^gravity: is not finite", lambda: tendril.sagfree.optimise(strand, gravity=(0, np.nan, 0))),
        ):
            with self.subTest(message), self.assertRaisesRegex(ValueError, message):
                call()


if __name__ == "__main__":
    unittest.main()
