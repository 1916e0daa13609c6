/** What an access token says of itself. The service alone verifies it; here it only tells sessions apart. */
interface Claims {
  /** Id of the user. */
  sub: string
  /** Id of the session, which stays the same when its token is renewed. */
  sid: string
}

/** @param token a JWT (RFC 7519) as the service signs it */
export function claimsOf(token: string): Claims {
  const [, payload = ''] = token.split('.')
  return JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as Claims
}
