package main

import (
	"strings"
	"testing"

	"drx/formats"
)

// TestTopics: a topic has a name of its own, and its lines fit a terminal.
func TestTopics(t *testing.T) {
	seen := map[string]bool{}
	for _, cmd := range newRoot().Commands() {
		if seen[cmd.Name()] {
			t.Errorf("two commands or topics are called %s", cmd.Name())
		}
		seen[cmd.Name()] = true
	}
	for _, topic := range topics() {
		for line := range strings.Lines(topic.text) {
			if len(line) > 102 {
				t.Errorf("%s: a line of %d bytes: %s", topic.name, len(line), line)
			}
		}
	}
}

// TestFormatsTopic: the topic lists every format that can be read.
func TestFormatsTopic(t *testing.T) {
	for _, f := range formats.Formats() {
		for _, ext := range f.Extensions {
			if f.Open != nil && !strings.Contains(formatsTopic(), ext) {
				t.Errorf("the topic lacks %s", ext)
			}
		}
	}
}
