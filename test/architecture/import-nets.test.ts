import assert from 'node:assert/strict'
import { MATRIX } from './import-matrix.ts'
import { importFaults } from './import-rules.ts'
import { lint } from './run-linter.ts'

const ROOMS = [...Object.keys(MATRIX.rooms), ...MATRIX.unrestricted]
const IMPORTERS = [
  ...Object.keys(MATRIX.rooms).map((room) => `${room}/a.ts`),
  'api/main.ts',
  'api/temporal/a.ts',
]
/** A file of each room, and the files that grants name. */
const FILES = [
  ...ROOMS.map((room) => `#${room}/some/file.ts`),
  ...['names', 'signal/contract', 'signal/address-contract', 'steps/describe', 'index'].map(
    (file) => `#workflows/${file}.ts`,
  ),
  ...['registry', 'port', 'entry-market', 'foreign-holders', 'fill-listings', 'sessions', 'upstream'].map(
    (file) => `#brokers/${file}.ts`,
  ),
  ...['api', 'worker', 'venue'].map((room) => `#${room}/main.ts`),
  '#worker/in-process.ts',
  '#activities/account/compare.ts',
  '#config/periodically.ts',
  '#config/last-answer.ts',
  '#tracing/spans.ts',
  '#tracing/trace-id.ts',
]
const PACKAGES = Object.keys(MATRIX.packages).flatMap((name) =>
  name === 'node:' ? ['node:fs'] : /^[@a-z]/.test(name) ? [name] : [],
)

interface Probe {
  importer: string
  specifier: string
  typeOnly: boolean
}
const PROBES: Probe[] = IMPORTERS.flatMap((importer) =>
  [...FILES, ...PACKAGES].flatMap((specifier) =>
    [false, true].map((typeOnly) => ({ importer, specifier, typeOnly })),
  ),
)
const named = ({ importer, specifier, typeOnly }: Probe): string =>
  `${importer} ${typeOnly ? 'import type' : 'import'} ${specifier}`

describe('the linter and the import matrix', () => {
  /** What the linter forbids, and what the matrix forbids. */
  let byLinter: Set<string>
  let byMatrix: Set<string>
  before(async () => {
    const byImporter = Map.groupBy(PROBES, ({ importer }) => importer)
    const sources = [...byImporter].map(([importer, probes]) => [
      importer,
      probes
        .map(({ specifier, typeOnly }, n) => `import ${typeOnly ? 'type ' : ''}{ a${n} } from '${specifier}'`)
        .join('\n'),
    ])
    const findings = await lint(Object.fromEntries(sources))
    byLinter = new Set(
      findings
        .filter(({ code }) => code.includes('no-restricted-imports'))
        .map(({ filename, labels }) => named(byImporter.get(filename)![labels[0]!.span.line - 1]!)),
    )
    byMatrix = new Set(
      PROBES.filter((probe) => importFaults(new Map([[probe.importer, [probe]]]), MATRIX).length > 0).map(
        named,
      ),
    )
  })

  it('forbid the same imports between rooms', () => {
    const between = (forbidden: Set<string>) =>
      [...forbidden].filter((name) => name.includes(' #')).toSorted()
    assert.ok(between(byMatrix).length > 100)
    assert.deepEqual(between(byLinter), between(byMatrix))
  })

  it('the linter and the import matrix never disagree on a package that the matrix grants', () => {
    assert.deepEqual(
      [...byLinter].filter((name) => !byMatrix.has(name)),
      [],
    )
  })
})
