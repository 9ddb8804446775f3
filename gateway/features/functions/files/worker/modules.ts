import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { extname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Hono } from 'hono';

const GATEWAY = pathToFileURL(join(import.meta.dirname, '../../../../')).href;
const AUTHORING = pathToFileURL(join(import.meta.dirname, '..', 'authoring', `index${extname(import.meta.filename)}`)).href;
const HONO = /^hono(?:\/|$)/;
/** Before the URL of a file: `hono` as that file would import it. */
const HONO_OF = 'rowgate-hono:';

/**
 * Lets files of the project import `rowgate/functions` and `hono` wherever they lie, and have types. Their own `hono` goes first. Files of
 * node_modules are left to Node.
 */
export function openModules(): void {
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === 'rowgate/functions') return { url: AUTHORING, shortCircuit: true };
      const of = specifier.startsWith(HONO_OF) ? specifier.slice(HONO_OF.length) : context.parentURL;
      const name = specifier.startsWith(HONO_OF) ? 'hono' : specifier;
      if (!HONO.test(name)) return next(specifier, context);
      try {
        return next(name, { ...context, parentURL: of });
      } catch {
        return next(name, { ...context, parentURL: import.meta.url });
      }
    },
    load(url, context, next) {
      const isTyped = url.startsWith('file:') && url.endsWith('.ts');
      if (!isTyped || url.startsWith(GATEWAY) || url.includes('/node_modules/')) return next(url, context);
      const path = fileURLToPath(url);
      return { format: 'module', source: stripTypeScriptTypes(readFileSync(path, 'utf8'), { sourceUrl: path }), shortCircuit: true };
    },
  });
}

/** The Hono that a file imports. */
export async function honoOf(url: string): Promise<{ Hono: typeof Hono }> {
  return await import(`${HONO_OF}${url}`) as { Hono: typeof Hono };
}
