import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../harness/server.ts';

/** As of this project, and strict. */
const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), path => ts.sys.readFile(path));
const { options: OPTIONS } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);

/** As of a project that asks for nothing more than `strict`. */
export const STRICT_ALONE: ts.CompilerOptions = {
  ...OPTIONS, noUncheckedIndexedAccess: false, exactOptionalPropertyTypes: false, noUnusedLocals: false,
};

/** A program of these files, and what the compiler says against it. */
export function checker(files: string[], options = OPTIONS): { program: ts.Program; complaints: string[] } {
  const paths = {
    '@rowgate/client': [join(ROOT, 'client/src/index.ts')], '@rowgate/client/uploads': [join(ROOT, 'client/src/uploads.ts')],
    '@rowgate/client/query': [join(ROOT, 'client/src/query-options.ts')],
    'rowgate/functions': [join(ROOT, 'gateway/features/functions/files/authoring/index.ts')],
  };
  const program = ts.createProgram(files, { ...options, paths });
  const complaints = ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
    const line = (file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1;
    return `${file?.fileName ?? ''}:${line} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
  });
  return { program, complaints };
}
