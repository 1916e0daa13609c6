import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import type { Commit } from './git.ts'

interface CycloneDx {
  serialNumber: string
  metadata: { timestamp: string; component: { name: string } }
}

/**
 * Every package that runs, as CycloneDX in JSON, by npm and the lock file. npm numbers each one by chance, dates it by the
 * clock and names the project after its folder; here all three follow from the commit, so that the same commit gives the same file.
 */
export function billOfMaterials(project: string, name: string, commit: Commit): string {
  const text = execFileSync(
    'npm',
    ['sbom', '--sbom-format=cyclonedx', '--omit=dev', '--package-lock-only', '--loglevel=error'],
    { cwd: project, maxBuffer: 100_000_000, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const bill = JSON.parse(text) as CycloneDx
  bill.serialNumber = `urn:uuid:${uuidOf(commit.id)}`
  bill.metadata.timestamp = commit.at.toISOString()
  bill.metadata.component.name = name
  return `${JSON.stringify(bill, undefined, 2)}\n`
}

/** A UUID that follows from a text, marked as version 8 (RFC 9562). */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  const variant = ((Number.parseInt(hex[16]!, 16) & 0x3) | 0x8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
