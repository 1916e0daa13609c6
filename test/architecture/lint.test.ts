import assert from 'node:assert/strict'
import { lint, type Finding } from './run-linter.ts'

describe('the linter', () => {
  const planted: [name: string, path: string, source: string, expected: RegExp][] = [
    ['a promise that is not waited for', 'api/a.ts', 'Promise.resolve(1)\nexport {}', /no-floating-promises/],
    [
      'a switch whose default takes in choices without a case',
      'domain/r.ts',
      "export const r = (a: 'b' | 'c') => {\n  switch (a) {\n    case 'b':\n      return 1\n    default:\n      return 2\n  }\n}",
      /switch-exhaustiveness-check/,
    ],
    ['any', 'api/b.ts', 'export const b = (x: any): string => String(x)', /no-explicit-any/],
    [
      'the clock in domain/',
      'domain/c.ts',
      'export const c = () => Date.now()',
      /take the instant as an argument/,
    ],
    ['chance in domain/', 'domain/d.ts', 'export const d = () => Math.random()', /nothing random/],
    [
      'a bare timer in workflows/',
      'workflows/e.ts',
      'export const e = () => setTimeout(() => {}, 1)',
      /Use sleep or condition/,
    ],
    [
      'activity code in workflows/',
      'workflows/f.ts',
      "import { a } from '#activities/a.ts'\nexport const f = a",
      /only the types of activities/,
    ],
    [
      'the ledger in brokers/',
      'brokers/g.ts',
      "import { a } from '#db/a.ts'\nexport const g = a",
      /port and domain/,
    ],
    [
      'an adapter in api/',
      'api/h.ts',
      "import { a } from '#brokers/alpaca/a.ts'\nexport const h = a",
      /through the registry and the port/,
    ],
    [
      'Temporal outside its gateway',
      'api/i.ts',
      "import { Client } from '@temporalio/client'\nexport const i = Client",
      /Only api\/temporal\/gateway\.ts/,
    ],
    [
      'workflow code in the worker',
      'worker/j.ts',
      "import { a } from '#workflows/index.ts'\nexport const j = a",
      /by the path of workflows\/index\.ts/,
    ],
    [
      'JSON for PostgreSQL that it may not take',
      'db/json-of-others.ts',
      'export const j = (value: unknown): string => JSON.stringify(value)',
      /toStorableJson/,
    ],
    [
      'a room path inside the room',
      'db/k.ts',
      "import { a } from '#db/a.ts'\nexport const k = a",
      /by relative path/,
    ],
    ['a comparison that converts', 'api/m.ts', "export const m = (n: number) => n == Number('1')", /eqeqeq/],
    [
      'a cookie that is written past its door',
      'api/q.ts',
      "import type { ApiContext } from './http/context.ts'\nexport const q = (ctx: ApiContext) => ctx.cookies.set('a', 'b')",
      /Only api\/http\/cookies\.ts/,
    ],
    [
      'a query that is read past its bounds',
      'api/n.ts',
      'export const n = (ctx: { query: { a: string } }) => ctx.query.a',
      /read once and within bounds/,
    ],
    [
      'the query as text',
      'api/o.ts',
      'export const o = (ctx: { request: { querystring: string } }) => ctx.request.querystring',
      /read once and within bounds/,
    ],
    [
      'a query that is parsed by other means',
      'api/p.ts',
      "export const p = (text: string) => new URLSearchParams(text).get('a')",
      /read once and within bounds/,
    ],
    ['the environment outside config/', 'api/l.ts', "export const l = process.env['HOME']", /no-process-env/],
  ]
  let findings: Finding[]
  before(async () => {
    const clean = {
      'workflows/granted.ts': "export type { A } from '#activities/a.ts'\nexport { b } from '#domain/b.ts'\n",
      'activities/granted.ts': "export { contract } from '#workflows/signal/contract.ts'\n",
      'api/granted.ts':
        "export { c } from '#brokers/registry.ts'\nexport type { D } from '#workflows/d.ts'\n",
      'api/http/query.ts': 'export const q = (text: string) => new URLSearchParams(text)\n',
      'api/temporal/gateway.ts': "export { Client } from '@temporalio/client'\n",
      'api/main.ts': "export { readSettings } from '#config/env.ts'\n",
    }
    findings = await lint({
      ...clean,
      ...Object.fromEntries(planted.map(([, path, source]) => [path, source])),
    })
  })

  for (const [name, path, , expected] of planted) {
    it(`reports ${name}`, () => {
      const texts = findings
        .filter(({ filename }) => filename.endsWith(path))
        .map(({ code, message, help }) => `${code} ${message} ${help ?? ''}`)
      assert.ok(
        texts.some((text) => expected.test(text)),
        `expected ${expected} for ${path}, got: ${texts.join('; ') || 'nothing'}`,
      )
    })
  }

  it('says nothing of imports that are granted', () => {
    const paths = planted.map(([, path]) => path)
    assert.deepEqual(
      findings.filter(({ filename }) => !paths.some((path) => filename.endsWith(path))),
      [],
    )
  })
})
