import { notFilledIn, placeholdersWithin } from '../values/placeholders.ts'
import { withoutSecretsIn } from '../values/secrets.ts'

const MAX_PLACE_SHOWN = 100

/** `given`: as it came, without a fault. */
export function advisoriesOnMetadata(given: unknown): { code: string; message: string }[] {
  const kept = withoutSecretsIn(given, 'notes')
  const advisories: { code: string; message: string }[] = []
  const [first, ...others] = placeholdersWithin(kept, ['metadata'])
  if (first !== undefined) {
    const place = first.path.join('.').slice(0, MAX_PLACE_SHOWN)
    const more = others.length === 0 ? '' : `. There are ${others.length} more`
    advisories.push({
      code: 'unfilled_placeholder',
      message: `${place}: ${notFilledIn(first.placeholder)}. It is kept as it came${more}`,
    })
  }
  if (JSON.stringify(kept) !== JSON.stringify(given))
    advisories.push({
      code: 'secrets_not_kept',
      message:
        'metadata has fields that are named like secrets, or access tokens of this service: these values are not kept. Take them out of what is sent',
    })
  return advisories
}
