import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Stands in the control file of a pgvector before 0.8.2 that was built with the mend. */
export const MENDED = '# with the mend of CVE-2026-3172';

/**
 * CVE-2026-3172: in a parallel build of an HNSW index the memory left over is counted below zero, and what is written then
 * lies behind the end of it (pgvector 0.6.0 to 0.8.1). Each text of src/hnswbuild.c with the one that 0.8.2 has instead, by
 * its commits b7e680d and 9ed39fb; the 1 MiB is what an allocation may take at most.
 */
const MEND: [string, string][] = [
  ['if (graph->memoryUsed >= graph->memoryTotal)', 'if (graph->memoryUsed + (base == NULL ? 0 : 1024 * 1024) >= graph->memoryTotal)'],
  ['graph->memoryTotal = memoryTotal;', 'graph->memoryTotal = Min(memoryTotal, SIZE_MAX / 2);'],
  [
    'shm_toc_estimate_chunk(&pcxt->estimator, esthnswarea);',
    'esthnswarea = Min(esthnswarea, SIZE_MAX / 2);\n\tshm_toc_estimate_chunk(&pcxt->estimator, esthnswarea);',
  ],
  ['InitGraph(&hnswshared->graphData, hnswarea, esthnswarea - 1024 * 1024);', 'InitGraph(&hnswshared->graphData, hnswarea, esthnswarea);'],
  ['buildstate->graph->memoryUsed += MAXALIGN(size);', `if (MAXALIGN(size) > 1024 * 1024)
\t\telog(ERROR, "hnsw allocation too large");
\tif (buildstate->graph->memoryUsed + MAXALIGN(size) > buildstate->graph->memoryTotal)
\t\telog(ERROR, "hnsw allocator out of memory");
\tbuildstate->graph->memoryUsed += MAXALIGN(size);`],
];

/** Whether the pgvector of a control file has the fault. */
export function needsMend(control: string): boolean {
  const [, minor = 0, patch = 0] = /default_version = '0\.(\d+)\.(\d+)'/.exec(control)?.map(Number) ?? [];
  return !control.startsWith(MENDED) && (minor === 6 || minor === 7 || (minor === 8 && patch < 2));
}

/** Mends an unpacked source, if it needs that. @returns whether it did. @throws when the source is not the one that is known. */
export function mendSource(folder: string): boolean {
  if (!needsMend(readFileSync(join(folder, 'vector.control'), 'utf8'))) return false;
  const file = join(folder, 'src/hnswbuild.c');
  writeFileSync(file, MEND.reduce((text, [fault, mend]) => replacedOnce(text, fault, mend), readFileSync(file, 'utf8')));
  return true;
}

function replacedOnce(text: string, fault: string, mend: string): string {
  const [before, after, ...more] = text.split(fault);
  if (after === undefined || more.length > 0) throw new Error(`the mend of CVE-2026-3172 does not fit: ${fault}`);
  return `${before ?? ''}${mend}${after}`;
}
