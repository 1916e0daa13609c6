import assert from 'node:assert/strict'
import { roomOf } from './import-rules.ts'
import { read, repositoryFiles } from './source-files.ts'

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
    name: 'follow no redirect (15.3.2)',
    // Following is what fetch does unless it is told otherwise.
    pattern: /redirect:\s*['"]follow|\bfetch\((?!.*redirect: 'error').*\)$/,
    sample: "fetch(url, { redirect: 'follow' })",
    // Commands of an operator, which carry no secret; and pages that a person opens, which a proxy may lead to its own sign-in.
    exempt: ['local/', 'web/service-worker/files.ts'],
  },
  {
    name: 'redirect no user (3.7.2)',
    pattern: /\bctx\.redirect\(|['"]Location['"]/i,
    sample: 'ctx.redirect(ctx.query.next)',
  },
  {
    name: 'read the query of a request in one place, within bounds (2.4.1, 15.2.2)',
    pattern:
      /\brequest\.query\b|\b(ctx|http)\.query\b|\{[^{}]*\bquery\b[^{}]*\}\s*(:\s*\w*(Context|Ctx)\b|=\s*(ctx|http)(\.request)?$)/,
    sample: 'const isAsked = ({ query }: ApiContext) => query.limit',
    // Nobody but this machine reaches the paper venue.
    exempt: ['venue/'],
  },
  {
    name: 'make no code from text (1.3.2)',
    pattern: /\beval\(|new Function\(|runIn(New|This)?Context\(/,
    sample: 'eval(body.rule)',
  },
  {
    name: 'take no text of others for a format (1.3.10)',
    pattern: /\bformat(WithOptions)?\(.*%|\bprintf\(/,
    sample: "format('%s' + name, value)",
    // A function of SQL, given names from PostgreSQL's own catalogue.
    exempt: ['db/migrations/', 'local/servers/service-database.ts'],
  },
  {
    name: 'encrypt by authenticated modes alone (11.3.1, 11.3.2)',
    pattern: /createCipheriv\((?!'aes-256-gcm')|createCipher\(/,
    sample: "createCipheriv('aes-256-cbc', key, iv)",
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
  {
    name: 'write cookies by one door alone, which the linter guards (3.5.1)',
    pattern: /set-cookie/i,
    sample: "ctx.append('Set-Cookie', 'a=b')",
  },
]

/** Sources of the API that touch files. Their names come from settings and constants, never from a request. */
const TOUCH_FILES = [
  'api/mail/mail.ts',
  'api/mail/mailbox-page.ts',
  'api/metrics/dependency-probes.ts',
  'api/openapi/introduction.ts',
  'api/openapi/reference/reference.ts',
  'api/web-app/files.ts',
]
/** Packages that encrypt, sign, hash or verify, beside Node's own OpenSSL. */
const CRYPTOGRAPHY = ['@node-rs/argon2', 'jsonwebtoken', 'otpauth']
const KNOWN_CRYPTOGRAPHY =
  /crypt|argon|scrypt|sodium|nacl|noble|jose|jsonwebtoken|jws|otp|elliptic|forge|hash/

describe('the sources of the service', () => {
  const sources = repositoryFiles('.ts').filter((path) => !BESIDE_THE_SERVICE.has(roomOf(path)))

  for (const { name, pattern, sample, exempt = [] } of RULES) {
    it(name, () => {
      assert.match(sample, pattern)
      const found = sources
        .filter((path) => !exempt.some((folder) => path.startsWith(folder)))
        .flatMap((path) =>
          read(path)
            .split('\n')
            .filter((line) => !/^\s*(\*|\/\/|\/\*)/.test(line) && pattern.test(line))
            .map((line) => `${path}: ${line.trim()}`),
        )
      assert.deepEqual(found, [])
    })
  }

  it('the sources of the service of the API touch files in named places only, and none takes a name from a request (5.3.2)', () => {
    const touching = sources.filter(
      (path) => path.startsWith('api/') && /from 'node:fs(\/promises)?'/.test(read(path)),
    )
    assert.deepEqual(touching, TOUCH_FILES)
    for (const path of touching) assert.doesNotMatch(read(path), /\bctx\b/, path)
  })

  it('use well-known implementations of cryptography only (11.2.1)', () => {
    const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> }
    assert.deepEqual(
      Object.keys(dependencies).filter((name) => KNOWN_CRYPTOGRAPHY.test(name)),
      CRYPTOGRAPHY,
    )
  })
})
