import assert from 'node:assert/strict'
import { isSafe } from 'redos-detector'
import { productSyntax, syntaxOf, type Pattern } from './product-syntax.ts'

/**
 * Patterns that the search cannot judge, each with the reason for which its time grows with its text alone. A pattern that
 * compares texts of other people in a time that grows faster stops the process for everybody.
 */
const JUDGED: Record<string, string> = {
  'api/http/server.ts /^https?:\\/\\/[^/?#\\\\]+(?<path>.*)$/is':
    'its last part takes everything to the end, so nothing is tried twice',
  'contract/values/instants.ts new RegExp(`^${DATE_AND_TIME}$`)': 'every part has a fixed length or a bound',
  'contract/values/instants.ts new RegExp(`^${DATE_AND_TIME}(Z|[+-]([01]\\\\d|2[0-3]):[0-5]\\\\d)$`)':
    'every part has a fixed length or a bound',
  'api/access/credential.ts /^\\s*dtk?_([0-9A-Za-z]*)(.*)$/s':
    'a sign that the next part does not take ends each part, and the last takes everything to the end',
  'api/guards/request-head.ts /^(.+)\\/:[^/]+$/': 'for our own routes, when the process begins',
  "api/guards/request-head.ts new RegExp(`^${before.replaceAll(/:[^/]+/g, '[^/]+')}$`)":
    'a slash ends each part, and their number is that of a route of ours',
  "api/guards/rounds.ts new RegExp(`^(?:${patterns.join('|')})$`)":
    'a slash ends each part, and their number is that of a route of ours',
  'contract/values/secrets.ts /token|secret|passw|passphrase|passcode|pwd|credential|authorization|(?:api|access|private|signing|shared|encryption|master|licen[sc]e|auth|webhook|session)key|bearer|jwt|signature|hmac|cookie|sessionid|seedphrase/':
    'a choice of words, each tried once at each place',
  "contract/values/secrets.ts new RegExp(String.raw`${HINT.source}|@|basic|eyJ|dt[kh]?_|-----BEGIN|\\\\u`, 'i')":
    'a choice of words, each tried once at each place',
  'contract/values/secrets.ts /-----BEGIN [^-]{0,40}PRIVATE KEY[^-]{0,20}-----[^]*?(?:-----END [^-]{0,60}-----|$)/g':
    'bounded until its last part, which always ends and takes what it has read',
  'contract/values/secrets.ts /([a-z][a-z0-9+.-]{0,20}:\\\\{0,8}\\/\\\\{0,8}\\/)[^\\s/?#"\'<>\\\\]*@/gi':
    'a bounded beginning, and a slash, which ends each try, stands before the next one',
  'contract/values/secrets.ts /(?<![\\w-])eyJ[\\w-]{6,}\\.[\\w-]{4,}(?:\\.[\\w-]*)?/g':
    'begins only where a run of its signs begins, and a dot ends each part',
  'contract/values/secrets.ts /\\b(basic[^\\S\\n]{1,20})[\\w+/=-]{12,}/gi':
    'a bounded beginning, and the last part takes what it has read',
  'contract/values/secrets.ts /(?:[\\w.-]|\\\\{1,8}u[0-9a-fA-F]{4})+/g':
    'its two parts share no first sign, so nothing is taken twice',
  "contract/values/secrets.ts new RegExp(\n  `\\\\\\\\{0,8}[${QUOTES}]?${BLANK}{0,20}(?:=>|[:=])${BLANK}{0,20}(\\\\\\\\{0,8})([${QUOTES}]?)`,\n  'y',\n)":
    'sticky, and every part has a bound',
  "contract/values/secrets.ts new RegExp(`[^\\\\s${QUOTES},;&}\\\\]]+`, 'y')": 'sticky, one run of signs',
  'contract/values/secrets.ts new RegExp(`[${QUOTES}]`)': 'one sign',
  'contract/values/values.ts new RegExp(`^(?:[A-Z0-9]{2,12}[-/.](?:${MONEY})|[A-Z0-9]{1,14}(?:USD|USDT|USDC)\\\\.P)$`)':
    'every part has a bound',
  'contract/values/values.ts /^([A-Za-z][A-Za-z0-9_]*:)?[A-Za-z0-9][A-Za-z0-9./-]*$/':
    'a colon ends the first part, and without one the text is taken once; it only describes the API',
  'api/notify/web-push/delivery.ts /<([^<>]+)>/':
    'a bracket ends each try where the next one begins; a setting of the operator',
  'web/signal/timeline.ts /\\(([^()]+)\\)$/': 'a bracket ends each try where the next one begins',
  'local/servers/temporal-binary.ts /Server (\\d+\\.\\d+\\.\\d+)/': 'a dot ends each run of digits',
}

const TOO_SLOW = { maxBacktracks: 200, timeout: 20_000 }

/** Whether the time that the pattern takes grows with the length of its text, whatever the text is. */
function isQuick(pattern: RegExp): boolean {
  if (isBounded(pattern)) return true
  // The search knows no names of groups, and not that a sticky pattern is tried in one place only.
  const source = pattern.source.replaceAll(/\(\?<\w+>/g, '(')
  const flags = pattern.flags.replace('y', '')
  return isSafe(new RegExp(pattern.sticky ? `^(?:${source})` : source, flags), TOO_SLOW).safe
}

/** Without a repetition that has no end, and none within another one, it does no more than so much at each place. */
function isBounded({ source }: RegExp): boolean {
  const plain = source.replaceAll(/\\./g, '').replaceAll(/\[[^\]]*\]/g, '')
  return !/[*+]|\{\d+,\}|\)\{/.test(plain)
}

const isRefused = ({ path, written, pattern }: Pattern): boolean =>
  !(`${path} ${written}` in JUDGED) && (pattern === null || !isQuick(pattern))

describe('patterns for texts of other people', function () {
  this.timeout(120_000)
  const { patterns } = productSyntax()

  it('take a time that grows with the text and no faster', () => {
    assert.ok(patterns.length > 100, `${patterns.length} were found`)
    assert.deepEqual(
      patterns.filter(isRefused).map(({ path, written }) => `${path} ${written}`),
      [],
    )
  })

  it('patterns for texts of other people are judged by hand only where there still is such a pattern', () => {
    const written = new Set(patterns.map((pattern) => `${pattern.path} ${pattern.written}`))
    assert.deepEqual(
      Object.keys(JUDGED).filter((judged) => !written.has(judged)),
      [],
    )
  })

  for (const [what, planted] of [
    [
      'goes from each keyword to the end of the string and back',
      String.raw`/("[^"\\]*(?:token|secret)[^"\\]*"\s*:\s*)"(?:[^"\\]|\\.)*"/gi`,
    ],
    ['begins again at each blank of a row', String.raw`/\s+$/`],
    ['shares digits between two parts', String.raw`/^\d*\.?\d*$/`],
    ['repeats a repetition', String.raw`/^(\w+\s?)*$/`],
    ['is put together while the program runs', "new RegExp('a' + text)"],
  ] as const)
    it(`patterns for texts of other people are refused where one ${what}`, () => {
      const { patterns: found } = syntaxOf(
        'api/planted.ts',
        `export const found = (text: string) => ${planted}`,
      )
      assert.ok(found.length === 1 && isRefused(found[0]!))
    })
})
