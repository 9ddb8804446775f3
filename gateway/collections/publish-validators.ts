// Writes the compiled module that replaces validators.ts in the package: node gateway/collections/publish-validators.ts, after tsc
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { compiledValidators } from './compiled-validators.ts';

writeFileSync(resolve(import.meta.dirname, '../../dist/collections/validators.js'), compiledValidators());
