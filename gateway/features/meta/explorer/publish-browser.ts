// Puts what a browser loads beside the compiled routes.ts, Swagger UI with its licenses:
// node gateway/features/meta/explorer/publish-browser.ts, after tsc
import { cpSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';

const FILES = ['swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt', 'swagger-ui.css', 'LICENSE'];
const swaggerUi = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const browser = resolve(import.meta.dirname, '../../../../dist/surfaces/meta/explorer/browser');

cpSync(join(import.meta.dirname, 'browser'), browser, { recursive: true });
for (const name of FILES) cpSync(join(swaggerUi, name), join(browser, name));
