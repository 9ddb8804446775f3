// Writes the JSON Schema that editors read: node gateway/config/settings-file/publish-schema.ts
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { publishedSettingsSchema } from './schema.ts';

writeFileSync(resolve(import.meta.dirname, '../../../schemas/settings.schema.json'), publishedSettingsSchema());
