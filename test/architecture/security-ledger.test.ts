import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { read, REPOSITORY } from './source-files.ts'

/** How many requirements the OWASP ASVS 5.0.0 has at each of its first two levels. */
const REQUIREMENTS = { 1: 70, 2: 183 }
const STANDINGS = ['met', 'partly', 'deviation', 'open', 'not applicable']
/** Those that something in the repository shows. */
const SHOWN = ['met', 'partly', 'deviation']

interface Row {
  requirement: string
  level: string
  standing: string
  evidence: string
  note: string
}

/** The fields of a line; quotes keep commas in one. */
const fieldsOf = (line: string): string[] =>
  [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)]
    .slice(0, 5)
    .map(([, field = '']) => field.replace(/^"(.*)"$/, '$1').replaceAll('""', '"'))

describe('docs/operate/security/asvs.csv', () => {
  const [heading, ...lines] = read('docs/operate/security/asvs.csv').trim().split('\n')
  const rows = lines.map((line): Row => {
    const [requirement = '', level = '', standing = '', evidence = '', note = ''] = fieldsOf(line)
    return { requirement, level, standing, evidence, note }
  })

  it('docs/operate/security/asvs.csv has a row for every requirement of the levels 1 and 2, once', () => {
    assert.equal(heading, 'requirement,level,standing,evidence,note')
    for (const [level, count] of Object.entries(REQUIREMENTS))
      assert.equal(rows.filter((row) => row.level === level).length, count)
    const names = rows.map(({ requirement }) => requirement)
    assert.equal(new Set(names).size, names.length)
    for (const name of names) assert.match(name, /^\d+\.\d+\.\d+$/)
  })

  it('gives for each requirement its status with evidence or a reason, and a test where it is met', () => {
    for (const { requirement, standing, evidence, note } of rows) {
      assert.ok(STANDINGS.includes(standing), `${requirement}: ${standing || 'blank'}`)
      if (SHOWN.includes(standing))
        assert.ok(existsSync(join(REPOSITORY, evidence)) && evidence !== '', requirement)
      // What a text says of itself is no evidence.
      if (standing === 'met') assert.match(evidence, /^test\/.+\.test\.ts$/, requirement)
      // A note may name further tests.
      for (const [path] of note.matchAll(/\btest\/[\w./-]+\.test\.ts/g))
        assert.ok(existsSync(join(REPOSITORY, path)), `${requirement}: ${path}`)
      if (standing !== 'met') assert.ok(note.length > 10, `${requirement} needs a reason`)
    }
  })
})
