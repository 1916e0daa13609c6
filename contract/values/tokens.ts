export const WITHIN_TEXT = /(dt[kh]?)_[0-9A-Za-z]{8,}/g

export const withoutTokens = (text: string): string => text.replaceAll(WITHIN_TEXT, '$1_[redacted]')
