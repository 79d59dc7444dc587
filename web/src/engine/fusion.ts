/** Scores to rankings, and rankings to one; the twin of `builder/fusion.py`. */

/** The numbers of the `depth` best passages, best first; ties go to the first in the site. */
export function ranking(scores: Float64Array, depth: number, positiveOnly: boolean): number[] {
  const candidates: number[] = [];
  for (let number = 0; number < scores.length; number++) {
    if (!positiveOnly || scores[number]! > 0) candidates.push(number);
  }
  return candidates.sort((left, right) => scores[right]! - scores[left]! || left - right).slice(0, depth);
}

/** Reciprocal Rank Fusion: [passage, score] of every passage in any ranking, best first. */
export function fuse(rankings: readonly (readonly number[])[], k: number): [number, number][] {
  const scores = new Map<number, number>();
  for (const single of rankings) {
    single.forEach((passage, index) => {
      scores.set(passage, (scores.get(passage) ?? 0) + 1 / (k + index + 1));
    });
  }
  return [...scores].sort(([left, one], [right, other]) => other - one || left - right);
}
