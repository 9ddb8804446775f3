// Writes the JSON Schema that editors read: node gateway/features/publish-settings-schema.ts
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { publishedSettingsSchema } from './settings-file.ts';

writeFileSync(resolve(import.meta.dirname, '../../schemas/settings.schema.json'), publishedSettingsSchema());
