/** Compiles 300 queries of three hops on a schema of so many collections, in a process of its own, and says what it took. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checker } from '../../test/client/compiler.ts';
import { queries, schemaOf } from './schema.ts';

/** `seconds`: CPU time. */
export type Compiled = { instantiations: number; seconds: number };

process.on('message', (collections: number) => {
  const folder = mkdtempSync(join(tmpdir(), 'rowgate-types-'));
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  writeFileSync(join(folder, 'schema.ts'), schemaOf(collections));
  writeFileSync(join(folder, 'queries.ts'), queries());
  const begun = process.cpuUsage();
  const { program, complaints } = checker([join(folder, 'queries.ts')]);
  const { user, system } = process.cpuUsage(begun);
  rmSync(folder, { recursive: true });
  if (complaints.length > 0) throw new Error(complaints.join('\n'));
  process.send?.({ instantiations: program.getInstantiationCount(), seconds: (user + system) / 1e6 } satisfies Compiled);
  process.disconnect();
});
