import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * The package that the explorer's files are taken from. A start needs 0.5 MB of its 12, and not its dependency, which reports
 * installations.
 */
export const PACKAGE = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
export const BROWSER = join(import.meta.dirname, '../../gateway/features/meta/explorer/browser');

export const PACKED = ['swagger-ui-bundle.js', 'swagger-ui.css'];
export const LICENSES = ['swagger-ui-bundle.js.LICENSE.txt', 'LICENSE', 'NOTICE'];
