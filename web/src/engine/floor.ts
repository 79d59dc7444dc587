/** What a search does with the relevance floor; the twin of `judge` in `builder/floor.py`. */

import type { Manifest } from "./manifest.ts";

/**
 * What the floor said of an answer.
 *
 * `cosine` is the best of any passage, `coverage` the best covered share of the nearest passages, `evidence`
 * their weighted sum; all null where no ranking by vector took part, for there the floor says nothing.
 */
export interface Verdict {
  cosine: number | null;
  coverage: number | null;
  evidence: number | null;
  /**
   * `below` where the floor was applied; else `no_vectors`, `reached`, or what lifts an answer over any floor:
   * `exact` (a passage is in a tier) or `covered` (one has all words of the query).
   */
  reason: "no_vectors" | "reached" | "exact" | "covered" | "below";
}

/** The verdict on an answer with the best cosine and coverage `near`. */
export function judge(
  floor: Manifest["floor"],
  near: readonly [cosine: number, coverage: number] | null,
  isExact: boolean,
  isCovered: boolean,
): Verdict {
  if (!near) return { cosine: null, coverage: null, evidence: null, reason: "no_vectors" };
  const [cosine, coverage] = near;
  const evidence = cosine + floor.coverage_weight * coverage;
  if (evidence >= floor.threshold) return { cosine, coverage, evidence, reason: "reached" };
  // Who gives a title or words that all stand in one passage has found it, whatever half a word means.
  return { cosine, coverage, evidence, reason: isExact ? "exact" : isCovered ? "covered" : "below" };
}
