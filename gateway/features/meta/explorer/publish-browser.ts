// Puts what a browser loads beside the compiled routes.ts: node gateway/features/meta/explorer/publish-browser.ts, after tsc
import { cpSync } from 'node:fs';
import { join, resolve } from 'node:path';

const published = resolve(import.meta.dirname, '../../../../dist/features/meta/explorer/browser');

cpSync(join(import.meta.dirname, 'browser'), published, { recursive: true });
