import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { MATRIX } from './import-matrix.ts'
import {
  cyclesIn,
  fileGraph,
  importFaults,
  roomGraph,
  roomOf,
  targetOf,
  type ImportsByFile,
} from './import-rules.ts'
import { importsOf, readImports } from './read-imports.ts'
import { REPOSITORY, repositoryFiles } from './source-files.ts'

const fixture = (files: Record<string, string>): ImportsByFile =>
  new Map(Object.entries(files).map(([path, source]) => [path, readImports(path, source)]))

describe('imports', () => {
  let files: ImportsByFile
  before(() => {
    files = new Map(repositoryFiles('.ts', '.tsx').map((path) => [path, importsOf(path)]))
  })

  it('imports are read from every room that the matrix names and from no other', () => {
    const known = [...Object.keys(MATRIX.rooms), ...MATRIX.unrestricted]
    const seen = new Set([...files.keys()].map(roomOf))
    assert.deepEqual(
      [...seen].filter((room) => !known.includes(room)),
      [],
      'a new room needs a row in the matrix',
    )
    assert.ok(seen.has('domain') && seen.has('test') && files.size > 40, 'the reader found the sources')
  })

  it('imports are all granted by the matrix', () => {
    assert.deepEqual(importFaults(files, MATRIX), [])
  })

  it('name files that exist', () => {
    const missing = [...files].flatMap(([importer, imports]) =>
      imports
        .map(({ specifier }) => targetOf(importer, specifier))
        .filter((target) => target !== null && !files.has(target) && !existsSync(join(REPOSITORY, target)))
        .map((target) => `${importer}: ${target}`),
    )
    assert.deepEqual(missing, [])
  })

  it('imports never run in a circle between files', () => {
    assert.deepEqual(cyclesIn(fileGraph(files)), [])
  })

  it('imports never run in a circle between rooms', () => {
    const rooms = roomGraph(files)
    for (const room of MATRIX.unrestricted) rooms.delete(room)
    assert.deepEqual(cyclesIn(rooms), [])
  })
})

describe('the import rules, given planted violations,', () => {
  const violations: Record<string, [path: string, source: string]> = {
    'a database in the rules': ['domain/order/order.ts', "import { signals } from '#db/signal/signals.ts'"],
    'a Node module in the rules': ['domain/order/order.ts', "import { readFile } from 'node:fs/promises'"],
    'activity code in a workflow': [
      'workflows/signal/workflow.ts',
      "import { a } from '#activities/index.ts'",
    ],
    'activity code re-exported by a workflow': ['workflows/index.ts', "export * from '#activities/index.ts'"],
    'activity code behind a dynamic import': [
      'workflows/index.ts',
      "const a = await import('#activities/index.ts')",
    ],
    'types mixed with code': ['workflows/index.ts', "import { type A, b } from '#activities/index.ts'"],
    'inline types only, which still load the module': [
      'workflows/index.ts',
      "import { type A } from '#activities/index.ts'",
    ],
    'a Node module in a workflow': ['workflows/index.ts', "import { randomUUID } from 'node:crypto'"],
    'workflow code in an activity': ['activities/index.ts', "import { x } from '#workflows/index.ts'"],
    'a broker adapter in the API': ['api/order/routes.ts', "import { x } from '#brokers/alpaca/adapter.ts'"],
    'settings beside the entry point': ['api/app.ts', "import { apiSettings } from '#config/env.ts'"],
    'Temporal outside its gateway': ['api/intake/create.ts', "import { Client } from '@temporalio/client'"],
    'Temporal in the ledger': ['db/signal/ledger.ts', "import { log } from '@temporalio/common'"],
    'MikroORM in an activity': ['activities/ledger.ts', "import { MikroORM } from '@mikro-orm/core'"],
    'the ledger in the venue': ['venue/server.ts', "import { openDatabase } from '#db/engine/database.ts'"],
    'an entry point imported': ['local/start/bring-up.ts', "import '#api/main.ts'"],
    'the ledger in the web application': ['web/a.tsx', "import { a } from '#db/signal/ledger.ts'"],
    'a test helper in a room': ['api/app.ts', "import { x } from '#test/support/servers.ts'"],
    'a relative path out of the room': ['api/app.ts', "import { x } from '../db/engine/database.ts'"],
    'a room path inside the room': ['db/signal/ledger.ts', "import { x } from '#db/engine/database.ts'"],
    'a package that is not granted': ['api/app.ts', "import _ from 'lodash'"],
    'another decimal arithmetic': ['venue/orders.ts', "import Big from 'big.js'"],
    'a module whose name is computed': ['api/app.ts', 'await import(name)'],
    'a type that reaches too far': [
      'domain/order/order.ts',
      "export type A = import('#db/signal/ledger.ts').A",
    ],
  }
  for (const [name, [path, source]] of Object.entries(violations)) {
    it(`find ${name}`, () => {
      assert.equal(importFaults(fixture({ [path]: source }), MATRIX).length, 1)
    })
  }

  it('grant exactly the imports of the matrix', () => {
    const granted = fixture({
      'workflows/index.ts':
        "import type { A } from '#activities/index.ts'\nexport type { B } from '#activities/b.ts'",
      'activities/index.ts': "import { signalProgress } from '#workflows/signal/contract.ts'",
      'api/main.ts': "import { readSettings } from '#config/env.ts'",
      'api/temporal/gateway.ts': "import { Client } from '@temporalio/client'",
      'domain/signal/signal.ts': "import { decimal } from './decimal.ts'",
    })
    assert.deepEqual(importFaults(granted, MATRIX), [])
  })

  it('find a circle of three files, type imports included', () => {
    const circle = fixture({
      'db/a.ts': "import { b } from './b.ts'",
      'db/b.ts': "import type { C } from './c.ts'",
      'db/c.ts': "export { a } from './a.ts'",
    })
    assert.deepEqual(cyclesIn(fileGraph(circle)), [['db/a.ts', 'db/b.ts', 'db/c.ts', 'db/a.ts']])
  })

  it('find a circle of two rooms, and none when one direction is types only', () => {
    const activity = "import { CONTRACT } from '#workflows/signal/contract.ts'"
    const running = fixture({
      'activities/a.ts': activity,
      'workflows/b.ts': "import { a } from '#activities/a.ts'",
    })
    const typed = fixture({
      'activities/a.ts': activity,
      'workflows/b.ts': "import type { A } from '#activities/a.ts'",
    })
    assert.equal(cyclesIn(roomGraph(running)).length, 1)
    assert.deepEqual(cyclesIn(roomGraph(typed)), [])
  })
})
