import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { REPOSITORY } from '../architecture/source-files.ts'

const read = (path: string): string => readFileSync(join(REPOSITORY, path), 'utf8')

/** Processes that sign or open what is encrypted. */
const NEED_KEYS = ['api', 'codec', 'worker']

describe('the image', () => {
  const last = read('Dockerfile')
    .split(/^FROM /m)
    .at(-1)!

  it('is built without the history of the sources, data, settings or tests', () => {
    const left = read('.dockerignore').split('\n')
    for (const name of ['.git', '.data', '.env', 'node_modules', 'test', 'bench', 'docs'])
      assert.ok(left.includes(name), name)
  })

  it('holds named folders only, and no package that only development needs', () => {
    const copied = [...last.matchAll(/^COPY (.*)$/gm)].map(([, words]) => words!)
    assert.ok(copied.length > 10)
    for (const words of copied) assert.doesNotMatch(words, /^(\.|\*|test|bench|docs)/)
    assert.match(last, /^COPY --from=packages \/app\/node_modules node_modules$/m)
    const packages = read('Dockerfile').split(/^FROM .* AS packages$/m)[1]!
    assert.match(packages, /npm ci --omit=dev/)
  })

  it('holds the built web app and none of its sources', () => {
    assert.match(read('Dockerfile'), /^RUN npm run build:web$/m)
    assert.match(last, /^COPY --from=build \/app\/web\/dist web\/dist$/m)
    assert.doesNotMatch(last, /^COPY web /m)
    assert.ok(
      read('.dockerignore').split('\n').includes('web/dist'),
      'a build of another copy is not taken along',
    )
  })

  it('runs in production mode, in which no failpoint works and no key is made', () => {
    assert.match(last, /NODE_ENV=production/)
  })
})

describe('the keys in docker-compose.yml', () => {
  const { services } = parse(read('docker-compose.yml'), { merge: true }) as {
    services: Record<string, { volumes?: string[] }>
  }
  const holding = Object.entries(services).filter(([, { volumes = [] }]) =>
    volumes.some((volume) => volume.startsWith('keys:')),
  )

  it('are mounted by the processes that need them, and by the one that makes them once', () => {
    assert.deepEqual(holding.map(([name]) => name).toSorted(), [...NEED_KEYS, 'keys'].toSorted())
  })

  it('can be written by the one that makes them alone', () => {
    for (const [name, { volumes = [] }] of holding)
      assert.equal(volumes.includes('keys:/keys:ro'), name !== 'keys', name)
  })
})
