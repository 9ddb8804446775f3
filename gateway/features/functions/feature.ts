import type { Feature } from '../feature.ts';

/** Not built yet. */
export const functions: Feature = {
  name: 'functions',
  rows: [{ feature: 'functions', paths: ['/functions', '/functions/*'] }],
  roles: ['all', 'functions'],
};
