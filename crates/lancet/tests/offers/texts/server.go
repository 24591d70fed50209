package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

var errNotFound = errors.New("no such note")

// Note is one note of a user.
type Note struct {
	ID      int       `json:"id"`
	Owner   string    `json:"owner"`
	Text    string    `json:"text"`
	Changed time.Time `json:"changed"`
}

// Store keeps notes in memory.
type Store struct {
	mu    sync.RWMutex
	next  int
	notes map[int]Note
}

// NewStore makes an empty store.
func NewStore() *Store {
	return &Store{next: 1, notes: make(map[int]Note)}
}

// Add takes a note and gives it a number.
func (s *Store) Add(owner, text string) Note {
	s.mu.Lock()
	defer s.mu.Unlock()

	note := Note{ID: s.next, Owner: owner, Text: text, Changed: time.Now()}
	s.notes[note.ID] = note
	s.next++
	return note
}

// Get finds a note by its number.
func (s *Store) Get(id int) (Note, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()

	note, ok := s.notes[id]
	if !ok {
		return Note{}, fmt.Errorf("note %d: %w", id, errNotFound)
	}
	return note, nil
}

// Delete removes a note.
func (s *Store) Delete(id int) error {
	s.mu.Lock()
	defer s.mu.Unlock()

	if _, ok := s.notes[id]; !ok {
		return fmt.Errorf("note %d: %w", id, errNotFound)
	}
	delete(s.notes, id)
	return nil
}

// Server answers requests for notes.
type Server struct {
	store  *Store
	logger *slog.Logger
	http   *http.Server
}

// New makes a server that listens on an address.
func New(address string, store *Store, logger *slog.Logger) *Server {
	server := &Server{store: store, logger: logger}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /notes/{id}", server.get)
	mux.HandleFunc("POST /notes", server.add)
	mux.HandleFunc("DELETE /notes/{id}", server.delete)
	server.http = &http.Server{
		Addr:              address,
		Handler:           mux,
		ReadHeaderTimeout: 5 * time.Second,
	}
	return server
}

// Run serves until the context ends.
func (s *Server) Run(ctx context.Context) error {
	failed := make(chan error, 1)
	go func() {
		failed <- s.http.ListenAndServe()
	}()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
		s.logger.Info("shutting down")
		late, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		return s.http.Shutdown(late)
	}
}

func (s *Server) add(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Owner string `json:"owner"`
		Text  string `json:"text"`
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		http.Error(w, "the body is no note", http.StatusBadRequest)
		return
	}
	note := s.store.Add(body.Owner, body.Text)
	w.WriteHeader(http.StatusCreated)
	s.write(w, note)
}

func (s *Server) write(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(value); err != nil {
		s.logger.Error("answer not written", "error", err)
	}
}
