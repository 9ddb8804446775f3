/** A longer name is no misspelling, and comparing it would take time. */
const LONGEST = 64;

/** The known name that an unknown one probably means; undefined when none is near. The first of equally near ones. */
export function closestMatch(name: string, known: readonly string[]): string | undefined {
  if (name.length > LONGEST) return undefined;
  const given = folded(name);
  const near = known
    .map(candidate => ({ candidate, distance: distanceOf(given, folded(candidate)), length: candidate.length }))
    .filter(({ distance, length }) => distance <= Math.floor(Math.max(given.length, length) / 3));
  return near.sort((a, b) => a.distance - b.distance)[0]?.candidate;
}

/** ` Did you mean title?`, to stand behind a message; blank when nothing is near. */
export function didYouMean(names: readonly string[], known: readonly string[]): string {
  const found = names.map(name => closestMatch(name, known)).filter(name => name !== undefined);
  return found.length === 0 ? '' : ` Did you mean ${[...new Set(found)].join(', ')}?`;
}

/** `created_at`, `createdAt` and `Created-At` count as one name. */
function folded(name: string): string {
  return name.toLowerCase().replaceAll(/[-_ ]/g, '');
}

/** Letters to add, to leave out, to replace, or to swap with their neighbour (optimal string alignment). */
function distanceOf(a: string, b: string): number {
  if (b.length > LONGEST) return Infinity;
  let [beforeLast, last] = [[] as number[], Array.from({ length: b.length + 1 }, (_, i) => i)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, replaced, isSwapped ? (beforeLast[j - 2] ?? 0) + 1 : Infinity));
    }
    [beforeLast, last] = [last, row];
  }
  return last[b.length] ?? 0;
}
