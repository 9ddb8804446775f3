import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

export default defineConfig(
  {
    ignores: ['node_modules/', '.tap/', '.data/', 'dist/', 'client/dist/', 'test/meta/client/calls.ts', 'test/client/uses.ts',
      'test/client/store.types.ts'],
  },
  tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: { allowDefaultProject: ['*.js', '*.mjs', 'bin/*.mjs'] } } },
    rules: {
      'max-len': ['error', { code: 140 }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      // Else the import of a type loads its module: a third of a start's modules.
      '@typescript-eslint/no-import-type-side-effects': 'error',
    },
  },
  {
    files: ['gateway/**', 'client/**'],
    rules: {
      'max-lines': ['error', 300],
      'max-params': ['error', 5],
    },
  },
  {
    // In its types `{}` is a row without members, to which an include adds some.
    files: ['client/**'],
    rules: { '@typescript-eslint/no-empty-object-type': 'off' },
  },
  {
    files: ['test/**', 'bench/compare.ts'],
    rules: {
      // A test at the top level is awaited by tap itself.
      '@typescript-eslint/no-floating-promises': ['error', { allowForKnownSafeCalls: [{ from: 'package', package: 'tap', name: 'test' }] }],
      // Answers are JSON, and each test says itself what it expects in them.
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
    },
  },
  {
    // Plain JavaScript: for packages that only a bench installs, examples, what makes the rest run, and what browsers run.
    files: ['bench/**/*.mjs', 'examples/**/*.mjs', 'gateway/*.mjs', 'gateway/**/browser/*.js'],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: { parserOptions: { projectService: false } },
  },
);
