// The `tap` of a test file in a process that runs several: evaluated once for each of them.
import { current } from './current.ts';

const t = current();

export default t;
export const test = t.test.bind(t);
