import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { basename, join, posix } from 'node:path'
import { parse } from 'yaml'
import { ALERT_KINDS } from '#domain/alert/alert.ts'
import { runStatement } from '#local/servers/postgres.ts'
import { REPOSITORY, repositoryFiles } from '#test/architecture/source-files.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/servers.ts'
import { alertRules } from './alert-rules.ts'

const read = (path: string): string => readFileSync(join(REPOSITORY, path), 'utf8')
const FOLDER = 'docs/operate/runbooks/'
const pages = repositoryFiles('.md').filter((path) => path.startsWith(FOLDER))
const runbooks = pages.filter((path) => basename(path) !== 'README.md')

/** What the pages name, found by the first group of the pattern: "page: what is named". */
const named = (pattern: RegExp) =>
  pages.flatMap((page) => [...read(page).matchAll(pattern)].map(([, what]) => ({ page, what: what! })))

describe('the runbooks', () => {
  it('the runbooks are one for each kind of alert, and one for each Prometheus rule', () => {
    const expected = ALERT_KINDS.map((kind) => `${FOLDER}${kind.replaceAll('_', '-')}.md`)
    for (const page of [...expected, ...alertRules().map(({ annotations: { runbook } }) => runbook)])
      assert.ok(runbooks.includes(page), page)
  })

  it('say how it looks, what to check, what to do and what not to do', () => {
    for (const page of runbooks)
      assert.deepEqual(
        [...read(page).matchAll(/^## (.+)$/gm)].map(([, heading]) => heading),
        ['How it looks', 'Check', 'Do', 'Do not'],
        page,
      )
  })

  it('say how they were played through, with times', () => {
    for (const page of runbooks)
      assert.match(read(page), /^- Played through\b[^\n]*:[^\n]* \d+(?:\.\d+)? /m, page)
  })

  it('name only rules that are there, and every rule', () => {
    const rules = alertRules()
    const found = named(/`([A-Z][a-z]+(?:[A-Z][a-z]+)+|Credentials)`/g)
    assert.deepEqual(
      [...new Set(found.map(({ what }) => what))].toSorted(),
      rules.map(({ alert }) => alert).toSorted(),
    )
    for (const { alert, annotations } of rules)
      assert.ok(read(annotations.runbook).includes(`\`${alert}\``), alert)
  })

  it('link only to files that are there', () => {
    const broken = named(/\]\(([^)\s:#]+)[^)]*\)/g).filter(
      ({ page, what }) => !existsSync(join(REPOSITORY, posix.join(posix.dirname(page), what))),
    )
    assert.deepEqual(broken, [])
  })

  it('name only commands of npm run admin that it has, with options that it has', () => {
    const help = read('local/commands/admin.ts')
    const unknown = named(/npm run admin -- ([a-z][^`\n]*)/g).filter(({ what }) => {
      const [command] = what.split(' ')
      const options = what.match(/--\w+/g) ?? []
      return ![`npm run admin -- ${command} `, ...options].every((text) => help.includes(text))
    })
    assert.deepEqual(unknown, [])
  })

  it('name only routes that are there', () => {
    const routes = read('docs/build/access.md')
    const unknown = named(/`((?:GET|POST|PUT|PATCH|DELETE) \/api[^`]*)`/g).filter(
      ({ what }) => !routes.includes(`\`${what}\``),
    )
    assert.deepEqual(unknown, [])
  })

  it('name only services of Docker Compose that are there', () => {
    const { services } = parse(read('docker-compose.yml'), { maxAliasCount: -1 }) as { services: object }
    const unknown = named(
      /docker compose (?:restart|exec|logs --tail 100|run --rm --entrypoint temporal) ([a-z-]+)/g,
    ).filter(({ what }) => !(what in services))
    assert.deepEqual(unknown, [])
  })

  describe('have statements', () => {
    let database: TestDatabase
    before(async function () {
      this.timeout(120_000)
      database = await createTestDatabase()
    })
    after(() => database.drop())

    it('the runbooks have statements that PostgreSQL carries out on the schema of the service', async () => {
      const statements = named(/```sql\n([^`]+)```/g)
      assert.ok(statements.length > 15, 'the statements were not found')
      for (const { page, what } of statements) {
        assert.match(what, /^select /, `${page} reads only`)
        await assert.doesNotReject(runStatement(database.url, what), `${page}: ${what}`)
      }
    })
  })
})
