// Writes the JSON Schema that editors read: node gateway/collections/publish-schema.ts
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { publishedSchema } from './schema/collection.ts';

writeFileSync(resolve(import.meta.dirname, '../../schemas/collection.schema.json'), publishedSchema());
