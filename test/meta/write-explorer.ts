// `npm run explorer`: takes Swagger UI over from the package of the version that package.json names.
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { BROWSER, LICENSES, PACKAGE, PACKED } from './swagger-ui.ts';

for (const name of PACKED) writeFileSync(join(BROWSER, `${name}.gz`), gzipSync(readFileSync(join(PACKAGE, name)), { level: 9 }));
for (const name of LICENSES) copyFileSync(join(PACKAGE, name), join(BROWSER, name));
