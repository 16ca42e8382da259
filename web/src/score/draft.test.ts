import { expect, test } from 'vitest';

import { draftOf } from './draft';

const PLAN = "I think.\nmodel_id = [0, 2, 1]\nsubtasks = ['Add it.', \"Don't.\", 'Say \\'it\\'.']\naccess_list = [[], [0], 'all']";

test('a plan takes shape as it is written', () => {
  const upTo = (part: string) => draftOf(PLAN.slice(0, PLAN.indexOf(part) + part.length), 3);
  const subtasks = (part: string) => upTo(part)?.steps.map((step) => step.subtask) ?? [];

  expect(subtasks('1]\nsubtasks = [')).toEqual([]);
  expect(subtasks("'Add")).toEqual(['Add']);
  expect(subtasks("Don't")).toEqual(['Add it.', "Don't"]);
  expect(draftOf(PLAN, 3)).toEqual({
    steps: [
      { worker: 0, subtask: 'Add it.', access: [] },
      { worker: 2, subtask: "Don't.", access: [0] },
      { worker: 1, subtask: "Say 'it'.", access: [0, 1] },
    ],
  });
});

test('no beginning of a text is read as more than it says', () => {
  for (let end = 0; end <= PLAN.length; end += 1) {
    const steps = draftOf(PLAN.slice(0, end), 3)?.steps ?? [];

    expect(steps.every((step, i) => step.subtask !== '' && step.access.every((j) => j < i))).toBe(true);
  }
});

test('a text that names a worker who is not there is no draft', () => {
  expect(draftOf("model_id = [7]\nsubtasks = ['x']", 3)).toBeNull();
});

test('a text that would take long to read is passed over', () => {
  expect(draftOf(`model_id = [0]\nsubtasks = ['${'a\\'.repeat(30_000)}`, 3)).toBeNull();
});
