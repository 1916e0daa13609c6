import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { roomOf } from './import-rules.ts'
import { REPOSITORY, repositoryFiles } from './source-files.ts'

/** Rooms whose code does not run in the service. */
const BESIDE_THE_SERVICE = new Set(['test', 'bench'])

interface Rule {
  /** With the requirement of the OWASP ASVS 5.0 that asks for it. */
  name: string
  pattern: RegExp
  /** A line that the pattern finds: a rule that finds nothing would guard nothing. */
  sample: string
  /** Folders to which the rule does not apply, with the reason beside them. */
  exempt?: readonly string[]
}

const RULES: Rule[] = [
  {
    name: 'start no program through a shell (1.2.5)',
    pattern: /\bshell:\s*true|\bexec(Sync)?\(\s*[`'"]\w+ /,
    sample: "spawn('ls', { shell: true })",
    // Statements of SQL are executed there by a function of that name.
    exempt: ['db/', 'venue/'],
  },
  {
    name: 'verify every certificate (12.3.2)',
    pattern: /rejectUnauthorized:\s*false|NODE_TLS_REJECT_UNAUTHORIZED/,
    sample: 'new Agent({ rejectUnauthorized: false })',
  },
  {
    name: 'follow no redirect of a broker (15.3.2)',
    pattern: /redirect:\s*['"]follow/,
    sample: "fetch(url, { redirect: 'follow' })",
  },
  {
    name: 'use no broken hash function (11.4.1)',
    pattern: /createHash\(\s*['"](md5|sha1|ripemd)/i,
    sample: "createHash('md5')",
    // A version 5 UUID is made with SHA-1 (RFC 9562, section 5.5) and guards nothing.
    exempt: ['db/'],
  },
  {
    name: 'draw no secret from Math.random (11.5.1)',
    pattern: /Math\.random\(\)/,
    sample: 'const token = Math.random()',
    // Invented prices, and pauses between attempts.
    exempt: ['venue/', 'worker/', 'local/', 'activities/', 'brokers/', 'api/events/'],
  },
]

describe('the sources of the service', () => {
  const sources = repositoryFiles('.ts').filter((path) => !BESIDE_THE_SERVICE.has(roomOf(path)))

  for (const { name, pattern, sample, exempt = [] } of RULES) {
    it(name, () => {
      assert.match(sample, pattern)
      const found = sources
        .filter((path) => !exempt.some((folder) => path.startsWith(folder)))
        .flatMap((path) =>
          readFileSync(join(REPOSITORY, path), 'utf8')
            .split('\n')
            .filter((line) => !/^\s*(\*|\/\/|\/\*)/.test(line) && pattern.test(line))
            .map((line) => `${path}: ${line.trim()}`),
        )
      assert.deepEqual(found, [])
    })
  }
})
