/** A number where it is written as one without losing a digit; otherwise the text, for the service to judge. */
export function amount(text: string): number | string {
  const trimmed = text.trim()
  return /^\d+(\.\d+)?$/.test(trimmed) && trimmed.length <= 15 ? Number(trimmed) : trimmed
}
