// `npm run schema`: writes migrations/schema.sql and docs/sql.md from an empty database that was just migrated.
import { writeFileSync } from 'node:fs';
import { SQL_DOCUMENT, sqlDocument } from '../docs/sql.ts';
import { createDatabase } from '../harness/database.ts';
import { ARTEFACT, dumpSchema, provision } from './dump.ts';

const cleanups: (() => unknown)[] = [];
const { sql } = await createDatabase({ teardown: (cleanup: () => unknown) => void cleanups.push(cleanup) });
await provision(sql);
writeFileSync(ARTEFACT, await dumpSchema(sql));
writeFileSync(SQL_DOCUMENT, await sqlDocument(sql));
for (const cleanup of cleanups) await cleanup();
