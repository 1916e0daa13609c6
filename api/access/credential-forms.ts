export type Place = 'the Authorization header' | 'X-API-Key' | 'the query'

const HOW = 'send "Authorization: Bearer" and the access token behind it'
const ENDS_ODDLY = 'a blank, a line break or another sign that is none of it'

const OTHER_HEADERS: ReadonlySet<string> = new Set(
  'api-key apikey x-apikey x-api-token x-auth-token x-access-token x-token token authentication x-authorization auth bearer'.split(
    ' ',
  ),
)
const OTHER_PARAMETERS: ReadonlySet<string> = new Set(
  'apikey api_key api-key key token access_token accesstoken auth bearer authorization secret x-api-key'.split(
    ' ',
  ),
)
const SCHEMES = ['Basic', 'Token', 'Digest', 'ApiKey', 'Api-Key', 'Key', 'JWT', 'OAuth'] as const

export function faultOfAbsence(headers: readonly string[], parameters: readonly string[]): string {
  if (headers.some((name) => OTHER_HEADERS.has(name.toLowerCase())))
    return `The credential stands in a header that is not read here: ${HOW}`
  if (parameters.some((name) => OTHER_PARAMETERS.has(name.toLowerCase())))
    return `The credential stands in a parameter of the address that is not read here: ${HOW}; an API key (dtk_) may be sent as X-API-Key, and to POST /api/v1/signals as apiKey, spelled so, where the server allows that`
  return `The request carries no credential: ${HOW}; one in the body is not read`
}

export function faultOfAuthorization(header: string): string {
  if (unquoted(header) !== header)
    return 'The Authorization header begins or ends with a quote: leave quotes out'
  const words = header.trim().split(/\s+/)
  const [scheme = '', next = ''] = words.map(unquoted)
  if (/^bearer$/i.test(scheme) && /^bearer$/i.test(next))
    return `The Authorization header says Bearer twice: ${HOW}`
  if (/^bearer:/i.test(scheme)) return `There is a colon behind Bearer in the Authorization header: ${HOW}`
  if (/^bearer$/i.test(scheme))
    return words.length === 1
      ? `The Authorization header has no access token behind Bearer: ${HOW}`
      : `The Authorization header has more than one word behind Bearer: ${HOW}`
  const other = SCHEMES.find((name) => name.toLowerCase() === scheme.toLowerCase())
  if (other !== undefined) return `The Authorization header says ${other} in the place of Bearer: ${HOW}`
  return `The Authorization header does not begin with Bearer: ${HOW}`
}

export function faultOfCredential(text: string, place: Place): string | null {
  const where = place === 'the query' ? 'apiKey in the query' : place
  const plain = unquoted(text)
  if (plain !== text) return `The credential of ${where} begins or ends with a quote: leave quotes out`
  if (/^bearer/i.test(text)) return `The credential of ${where} begins with Bearer, which is none of it`
  if (text.includes('{{') || /^(undefined|null|nan)$/i.test(text))
    return `What stands in the place of the credential of ${where} was never replaced by it`
  const form = /^\s*(dtk?)_/.exec(text)?.[1]
  if (form === 'dt' && place !== 'the Authorization header')
    return `An access token (dt_) stands where API keys (dtk_) are read, in ${where}: ${HOW}`
  if (form === 'dtk' && place === 'the Authorization header')
    return 'An API key (dtk_) stands where access tokens (dt_) are read, in the Authorization header: send it as X-API-Key'
  if (form === undefined) return null
  const [, letters = '', rest = ''] = /^\s*dtk?_([0-9A-Za-z]*)(.*)$/s.exec(text) ?? []
  if (rest !== '' || /^\s/.test(text))
    return `The credential of ${where} begins or ends with ${ENDS_ODDLY}: copy it once more`
  // Thirty characters and the six of the checksum.
  return letters.length < 36 ? `The credential of ${where} is cut off: copy it once more` : null
}

const unquoted = (text: string): string => text.replace(/^["'`“”‘’]/, '').replace(/["'`“”‘’]$/, '')
